import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readDispatch } from '../../src/action/event/dispatch.ts';
import { lineDiff } from '../../src/compile/line-diff.ts';
import { ancestorsOf, jobOrders } from '../../src/pipeline/job-order.ts';
import { triggersOf } from '../../src/compile/triggers.ts';
import type { Pipeline } from '../../src/pipeline/pipeline.ts';
import { legsOf } from '../../src/pipeline/file/matrix.ts';
import { parsePipeline } from '../../src/pipeline/parse-pipeline.ts';
import { compiled } from './compiled.ts';
import { ROOT } from '../repository/repository-files.ts';
import { PIPELINES } from './pipelines.ts';

interface Job {
  readonly needs?: string | readonly string[];
  readonly if?: string;
  readonly permissions: Readonly<Record<string, string>>;
  readonly 'timeout-minutes': number;
  readonly strategy?: { readonly 'fail-fast': boolean; readonly matrix: Record<string, never[]> };
  readonly steps: readonly { readonly uses?: string; readonly with?: Readonly<Record<string, unknown>> }[];
}

function jobsOf(definition: object): Readonly<Record<string, Job>> {
  return (parse(compiled(JSON.stringify(definition)).text) as { jobs: Record<string, Job> }).jobs;
}

describe('the workflow of an example', () => {
  it.each(['web-tests', 'agent-flow'])('has the jobs, needs, permissions and inputs of the one in %s', (example) => {
    const file = `examples/${example}/gateline.yml`;
    const ours = parse(compiled(readFileSync(join(ROOT, file), 'utf8'), file).text) as { jobs: Record<string, Job> };
    const theirs = parse(readFileSync(join(ROOT, `examples/${example}/workflow.yml`), 'utf8')) as typeof ours;
    const told = ({ jobs }: typeof ours): unknown =>
      Object.entries(jobs).map(([id, { needs, permissions, steps, ...job }]) => {
        const gate = steps.find(({ uses }) => uses?.startsWith('gateline/'))!;
        const { resume: _, ...inputs } = gate.with ?? {};
        return [id, needs, job.if, permissions, inputs, steps[0]];
      });
    expect(told(ours)).toEqual(told(theirs));
  });
});

describe('the inputs of a run', () => {
  it('are those that the action reads from its event', () => {
    const { inputs } = triggersOf(undefined).on['workflow_dispatch'] as { inputs: Record<string, string> };
    const digest = `sha256:${'0'.repeat(64)}`;
    const values = Object.fromEntries(Object.keys(inputs).map((name): [string, string] => [name, '1']));
    const given: Record<string, string> = { ...values, strategy: 'from-checkpoint', decision: 'approve', digest };
    const { sender: _, ...read } = readDispatch('workflow_dispatch', { inputs: given })!;
    expect(Object.keys(read).toSorted()).toEqual(Object.keys(given).toSorted());
  });

  it('stand beside those of the file, and take the place of those with their names', () => {
    const { inputs } = triggersOf({
      workflow_dispatch: { inputs: { dry: { type: 'boolean' }, resume: { type: 'number' } } },
    }).on['workflow_dispatch'] as { inputs: Record<string, { type: string }> };
    expect([inputs['dry']!.type, inputs['resume']!.type]).toEqual(['boolean', 'string']);
  });
});

describe('jobs', () => {
  it('have the legs of the gate', () => {
    const parsed = parsePipeline(PIPELINES['matrix']!, 'f');
    const { jobs } = parse(compiled(PIPELINES['matrix']!).text) as { jobs: Record<string, Job> };
    const legs = legsOf(jobs['browsers']!.strategy!.matrix);
    expect(parsed.ok && parsed.pipeline.gates[1]!.legs).toEqual('legs' in legs && legs.legs);
  });

  it('let all legs end where a failure sends work back, whatever `fail-fast` says', () => {
    const strategy = { matrix: { on: ['a', 'b'] } };
    const onFail = { 'on-fail': { goto: 'code' } };
    const gate = { run: 'echo', needs: 'code', strategy };
    const jobs = jobsOf({
      groups: { checks: { gates: ['lint'], ...onFail } },
      gates: { code: { run: 'echo', files: 'changed' }, review: { ...gate, ...onFail }, lint: gate, other: gate },
    });
    const failFast = ['review', 'lint', 'other'].map((id) => jobs[id]!.strategy!['fail-fast']);
    expect(failFast).toEqual([false, false, true]);
  });

  it('have time for all attempts, and at most what GitHub gives', () => {
    const minutes = (keys: object): number => jobsOf({ gates: { a: { run: 'x', ...keys } } })['a']!['timeout-minutes'];
    expect(minutes({ 'timeout-minutes': 0.5 })).toBe(16);
    expect(minutes({ 'timeout-minutes': 10, retries: 2 })).toBe(45);
    expect(minutes({ 'timeout-minutes': 4_320, retries: 10 })).toBe(7_200);
    const uses = { action: 'o/a@v1' };
    expect(jobsOf({ gates: { a: { uses, 'timeout-minutes': 10, retries: 2 } } })['a']!['timeout-minutes']).toBe(25);
  });

  it('read decisions only where an output waits for a person, and after it', () => {
    const pause = { score: '/score', partial: 'pause' };
    const gates = {
      a: { run: 'x' },
      b: { run: 'x', needs: 'a', output: pause },
      c: { run: 'x', needs: 'b' },
      d: { run: 'x' },
    };
    const jobs = jobsOf({ gates });
    expect(Object.keys(jobs).filter((id) => jobs[id]!.permissions['checks'] === 'read')).toEqual(['b', 'c', 'report']);
    expect(jobs['decide']!.permissions).toEqual({ contents: 'read', actions: 'write', checks: 'write' });
    expect(Object.keys(jobsOf({ gates, on: 'push' }))).not.toContain('decide');
  });

  it('that report and decide have names that no gate has', () => {
    const gates = { report: { run: 'x' }, 'gateline-report': { run: 'x' }, decide: { run: 'x', approval: 'required' } };
    expect(Object.keys(jobsOf({ gates }))).toEqual([
      ...Object.keys(gates),
      'gateline-gateline-report',
      'gateline-decide',
    ]);
  });

  it('take no run for a decision, in whatever order they begin', () => {
    const gates = {
      a: { run: 'x', approval: 'required' },
      b: { run: 'x' },
      c: { run: 'x', needs: 'b' },
    };
    const jobs = jobsOf({ gates, groups: { g: { gates: ['a', 'b'], mode: 'sequential' } } });
    const none = "inputs.decision != 'approve' && inputs.decision != 'reject'";
    expect(jobs['a']!.if).toBe(none);
    expect(jobs['b']!.if).toBe(`\${{ !cancelled() && ${none} }}`);
    expect(jobs['c']!.if).toBe("${{ !cancelled() && needs.b.result == 'success' }}");
    expect(jobs['report']!.if).toBe(`\${{ always() && ${none} }}`);
  });
});

describe('the order of sequential groups', () => {
  it('has no circle, all needs, and puts every two members of a group one after the other', () => {
    const graph = fc.integer({ min: 2, max: 9 }).chain((size) =>
      fc.record({
        needs: fc.array(fc.array(fc.nat(size), { maxLength: 3 }), { minLength: size, maxLength: size }),
        group: fc.array(fc.nat(2), { minLength: size, maxLength: size }),
        order: fc.shuffledSubarray([...Array(size).keys()], { minLength: size }),
      }),
    );
    fc.assert(
      fc.property(graph, ({ needs, group, order }) => {
        // Gates need such before them, and the file has them in any order.
        const gates = order.map((n) => ({
          id: `g${n}`,
          needs: [...new Set(needs[n]!.filter((m) => m < n))].map((m) => `g${m}`),
        }));
        const groups = [0, 1].map((g) => ({
          id: `s${g}`,
          mode: 'sequential',
          gates: order.filter((n) => group[n] === g).map((n) => `g${n}`),
        }));
        const orders = jobOrders({ gates, groups } as unknown as Pipeline);
        const edges = new Map([...orders].map(([id, one]) => [id, new Set(one.needs)]));
        for (const { id, needs: own } of gates) {
          expect(ancestorsOf(id, edges)).not.toContain(id);
          for (const need of own) expect(edges.get(id)).toContain(need);
        }
        for (const { gates: members } of groups) {
          for (const a of members)
            for (const b of members)
              if (a !== b) expect(ancestorsOf(a, edges).has(b)).toBe(!ancestorsOf(b, edges).has(a));
        }
      }),
    );
  });
});

describe('a difference of lines', () => {
  const apply = (diff: string, mark: '-' | '+'): string[] =>
    diff
      .split('\n')
      .filter((line) => line.startsWith(`${mark} `))
      .map((line) => line.slice(2));

  it('is empty for the same text, and short for one line', () => {
    expect(lineDiff('a\nb\n', 'a\nb\n')).toBe('');
    expect(lineDiff('1\n2\n3\n4\n5\n6\n', '1\n2\n3\nx\n5\n6\n')).toBe('…\n  2\n  3\n- 4\n+ x\n  5\n  6\n');
    expect(lineDiff('', 'a\n')).toBe('+ a\n');
  });

  it('says what goes and what comes', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 });
    fc.assert(
      fc.property(lines, lines, (old, now) => {
        const count = (list: readonly string[], one: string): number => list.filter((line) => line === one).length;
        const diff = lineDiff(`${old.join('\n')}\n`, `${now.join('\n')}\n`);
        const [gone, come] = [apply(diff, '-'), apply(diff, '+')];
        for (const one of ['a', 'b', 'c'])
          expect(count(old, one) - count(gone, one) + count(come, one)).toBe(count(now, one));
      }),
    );
  });
});
