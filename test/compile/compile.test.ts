import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { compilePipeline } from '../../src/compile/compile.ts';
import { ancestorsOf } from '../../src/pipeline/graph.ts';
import { parsePipeline } from '../../src/pipeline/parse-pipeline.ts';
import type { Pipeline } from '../../src/pipeline/pipeline.ts';
import { createPipeline } from '../support/pipelines.ts';
import { expectClean, WORKFLOW_TOOLS } from '../support/workflow-tools.ts';
import { PIPELINES } from './pipelines.ts';

interface Job {
  readonly needs?: readonly string[];
  readonly if?: string;
  readonly permissions: Readonly<Record<string, string>>;
  readonly 'timeout-minutes': number;
  readonly strategy?: { readonly 'fail-fast': boolean; readonly matrix: Record<string, unknown> };
  readonly steps: readonly { readonly uses?: string; readonly with?: Readonly<Record<string, unknown>> }[];
}

function pipelineOf(definition: object | string): Pipeline {
  const text = typeof definition === 'string' ? definition : JSON.stringify(definition);
  const parsed = parsePipeline(text, 'gateline.yml');
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.pipeline;
}

function compile(definition: object | string, path = 'gateline.yml', existing = ''): string {
  return compilePipeline(pipelineOf(definition), path, existing);
}

function jobsOf(definition: object | string): Readonly<Record<string, Job>> {
  return (parse(compile(definition)) as { jobs: Record<string, Job> }).jobs;
}

const gate = (keys: object): object => ({ gates: { a: { run: 'x', ...keys } } });

describe('a compiled workflow', () => {
  it.each(Object.keys(PIPELINES))('%s is what golden/ has, each time', async (name) => {
    const text = compile(PIPELINES[name]!);
    await expect(text).toMatchFileSnapshot(`golden/${name}.yml`);
    expect(compile(PIPELINES[name]!, 'gateline.yml', text)).toBe(text);
  });

  it.each(WORKFLOW_TOOLS)('satisfies %s', (tool) => {
    const ids = ['true', 'null', 'on', 'y', '_'];
    const odd = {
      pipeline: 'null',
      gates: Object.fromEntries(ids.map((id, index) => [id, { run: 'x', needs: ids.slice(index + 3, index + 4) }])),
      groups: { g: { gates: ['y', 'null', '_'], mode: 'sequential' } },
    };
    const definitions = Object.entries({ ...PIPELINES, odd });
    expectClean(tool, Object.fromEntries(definitions.map(([name, definition]) => [name, compile(definition)])));
  });

  it('declares the inputs that our actions read, in place of those of the definition with their names', () => {
    const on = { workflow_dispatch: { inputs: { dry: { type: 'boolean' }, resume: { type: 'number' } } } };
    const workflow = parse(compile({ ...gate({}), on })) as { on: typeof on };
    expect(workflow.on.workflow_dispatch.inputs).toMatchObject({
      dry: { type: 'boolean' },
      resume: { type: 'string' },
    });
  });

  it('keeps versions that a bot has updated', () => {
    const text = compile(PIPELINES['deliver']!);
    const updated = text
      .replaceAll(/actions\/checkout@.*/g, `actions/checkout@${'c'.repeat(40)} # v8.0.0`)
      .replaceAll(/(gateline\/gateline[/a-z]*)@v1/g, `$1@${'d'.repeat(40)} # v1.2.3`);
    expect(updated).not.toBe(text);
    expect(compile(PIPELINES['deliver']!, 'gateline.yml', updated)).toBe(updated);
  });

  it('names the definition where the action would not find it', () => {
    const steps = (path: string) => (parse(compile(gate({}), path)) as { jobs: Record<string, Job> }).jobs['a']!.steps;
    expect(steps('gateline.yml')[1]!.with).toBeUndefined();
    expect(steps('pkg/${{ x }}/gateline.yml')[1]!.with).toEqual({ file: "pkg/${{ '${{' }} x }}/gateline.yml" });
    expect(compile(gate({}), 'a\nb: c').split('\n')[1]).toBe('name: pipeline');
  });
});

describe('jobs', () => {
  it('have time for all attempts, and at most what GitHub gives', () => {
    const minutes = (keys: object): number => jobsOf(gate(keys))['a']!['timeout-minutes'];
    expect(minutes({ 'timeout-minutes': 0.5 })).toBe(16);
    expect(minutes({ 'timeout-minutes': 10, retries: 2 })).toBe(45);
    expect(minutes({ 'timeout-minutes': 4_320, retries: 10 })).toBe(7_200);
    expect(minutes({ run: undefined, uses: 'o/a@v1', 'timeout-minutes': 10, retries: 2 })).toBe(25);
    expect(minutes({ job: { 'timeout-minutes': 5 } })).toBe(5);
  });

  it('can only read, except for the report and the delivery', () => {
    const read = { contents: 'read', actions: 'read', 'pull-requests': 'read' };
    for (const definition of Object.values(PIPELINES)) {
      const jobs = jobsOf(definition);
      for (const { id, job } of pipelineOf(definition).gates)
        expect(jobs[id]!.permissions).toEqual({ ...read, ...(job?.['permissions'] as object) });
      expect(parse(compile(definition))).toMatchObject({ permissions: {} });
    }
  });

  it('of the report and the delivery have names that no gate has', () => {
    const gates = { report: { run: 'x' }, 'gateline-report': { run: 'x' }, deliver: { run: 'x' } };
    const ids = Object.keys(jobsOf({ gates, deliver: { gates: 'report' } }));
    expect(ids).toEqual([...Object.keys(gates), 'gateline-gateline-report', 'gateline-deliver']);
  });

  it('start the next iteration only where a run can be started', () => {
    const inputs = (on: unknown) => {
      const jobs = jobsOf({ ...(parse(PIPELINES['loop']!) as object), on });
      return { ...jobs['report']!.steps[1]!.with, actions: jobs['report']!.permissions['actions'] };
    };
    expect(inputs('workflow_dispatch')).toMatchObject({ dispatch: true, actions: 'write' });
    expect(inputs('push')).toEqual({ needs: '${{ toJSON(needs) }}', actions: 'read' });
  });

  it('of a sequential group come one after the other, in an order that no need contradicts', () => {
    const graph = fc.integer({ min: 2, max: 9 }).chain((size) =>
      fc.record({
        needs: fc.array(fc.array(fc.nat(size), { maxLength: 3 }), { minLength: size, maxLength: size }),
        group: fc.array(fc.nat(2), { minLength: size, maxLength: size }),
        order: fc.shuffledSubarray([...Array(size).keys()], { minLength: size }),
      }),
    );
    const check = fc.property(graph, ({ needs, group, order }) => {
      const idOf = (n: number): string => `g${n}`;
      const needsOf = (n: number): string[] => [...new Set(needs[n]!.filter((m) => m < n))].map(idOf);
      const groups = [0, 1].map((g) => {
        const gates = order.filter((n) => group[n] === g).map(idOf);
        return { id: `s${g}`, mode: 'sequential' as const, gates };
      });
      const pipeline = createPipeline(
        order.map((n) => ({ id: idOf(n), needs: needsOf(n) })),
        { groups },
      );
      const { jobs } = parse(compilePipeline(pipeline, 'gateline.yml')) as { jobs: Record<string, Job> };
      const nodes = Object.entries(jobs).map(([id, job]) => ({ id, needs: job.needs ?? [] }));
      const before = (a: string, b: string): boolean => ancestorsOf(nodes, b).has(a);
      for (const n of order) {
        expect(before(idOf(n), idOf(n))).toBe(false);
        for (const need of needsOf(n)) {
          expect(jobs[idOf(n)]!.needs).toContain(need);
          expect(jobs[idOf(n)]!.if).toContain(`needs.${need}.result == 'success'`);
        }
      }
      for (const { gates } of groups)
        for (const a of gates) for (const b of gates) if (a !== b) expect(before(a, b)).toBe(!before(b, a));
    });
    fc.assert(check, { numRuns: 50 });
  });
});

describe('a definition is refused', () => {
  const EVIL = '${{ github.event.pull_request.title }}';
  const LEG = '${{ matrix.leg }}';
  const data = (job: object): object => ({
    gates: {
      p: { run: 'x' },
      a: { run: 'x', needs: 'p', strategy: { matrix: '${{ needs.p.output.list }}' }, job },
    },
  });
  const uses = (output: string): object => gate({ run: undefined, uses: { action: 'o/a@v1', output } });

  it.each<[string, object]>([
    ['`run` in the `job` of a', gate({ job: { steps: [{ run: `echo ${EVIL}` }] } })],
    ['`run` in the `job` of a', { ...gate({}), job: { steps: [{ run: 'x', shell: `${EVIL} {0}` }] } }],
    ['`steps` in the `job` of a', gate({ job: { steps: 'x' } })],
    ['`if` in the `job` of a', gate({ job: { if: 'false' } })],
    ['`needs` in the `job` of a', { ...gate({}), job: { needs: ['b'] } }],
    ['`matrix` in the `job` of a', data({ 'runs-on': LEG })],
    ['`matrix` in the `job` of a', data({ environment: { name: LEG } })],
    ['the `output` of a', uses('1 }} x')],
    ['the `output` of a', uses('secrets.ALL')],
    ['the `output` of a', uses("steps.a.outputs.b }} ${{ secrets.X || '")],
    ['there is no workflow', { commands: { c: { syntax: 'x' } } }],
  ])('naming %s: %j', (message, definition) => {
    expect(() => compile(definition)).toThrow(message);
  });
});

/** Texts that break out of what is careless with YAML, shells or expressions. */
const PARTS = [
  ...["'", '"', '\n', '\n- ', '\n  x: ', ': ', ' #', '&a', '*a', '<<', '!!str ', '|', '>', '{', '}}', '${', '%', '@'],
  ...['`', '\t', '\r', '\u2028', '\u0085', '\u001b[2J', 'yes', 'null', '~', '0x1F', '1e3', '12:30', '-', '? '],
];

describe('any text of a definition', () => {
  it('is the same text in the workflow, whichever version of YAML reads it, and nothing else changes', () => {
    const build = (text: string): object => ({
      on: { push: { branches: [text] }, pull_request: null },
      job: { env: { A: text }, steps: [{ name: text, run: text, env: { B: text } }] },
      gates: {
        a: {
          run: text,
          agent: text,
          env: { C: text },
          strategy: { matrix: { key: [text, { deep: text }] } },
          job: { environment: { name: text, url: text }, container: { image: text, options: text } },
        },
        b: { uses: { action: 'o/a@v1', with: { prompt: text } }, env: { D: text }, needs: 'a' },
      },
    });
    const expected = JSON.stringify(parse(compile(build('@@'))));
    const nasty = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }),
      fc.array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 6 }).map((parts) => parts.join('')),
    );
    const text = nasty.filter((one) => /\S/.test(one) && !/\0|\$\{\{/.test(one) && one.isWellFormed());
    const check = fc.property(text, (one) => {
      const workflow = compile(build(one));
      const wanted = JSON.parse(expected, (_key, value: unknown) => (value === '@@' ? one : value)) as object;
      expect(parse(workflow)).toEqual(wanted);
      const { true: on, ...old } = parse(workflow, { version: '1.1' }) as Record<string, object>;
      expect({ ...old, on }).toEqual(wanted);
    });
    // YAML ended a list at this text.
    fc.assert(check, { numRuns: 200, examples: [["-\n- '"]] });
  });

  it('is evaluated nowhere that GitHub would evaluate it', () => {
    const matrix = { key: ['${{ secrets.X }}', { '${{ a }}': ['${{ b }}'] }] };
    const job = jobsOf(gate({ strategy: { matrix } }))['a']!;
    expect(job.strategy!.matrix['include']).toEqual([
      { key: "${{ '${{' }} secrets.X }}" },
      { key: { "${{ '${{' }} a }}": ["${{ '${{' }} b }}"] } },
    ]);
  });
});
