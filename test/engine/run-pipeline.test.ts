import { describe, expect, it } from 'vitest';
import { decide } from '../../src/engine/decide.ts';
import type { RunResult } from '../../src/engine/run-pipeline.ts';
import type { Gate } from '../../src/pipeline/pipeline.ts';
import type { EndedRecord } from '../../src/run/records/record.ts';
import { engineWorld, type AgentScript } from '../support/engine-world.ts';
import { gateOf, pipelineOf } from '../support/pipelines.ts';

const CHAIN = pipelineOf({ a: {}, b: { needs: ['a'] }, c: { needs: ['b'] } });
const echo: AgentScript = ({ unit }) => ({ output: { by: unit } });

function statuses(result: RunResult): Record<string, string> {
  return Object.fromEntries(
    [...result.state.units].map(([key, unit]) => [key, unit.reused ? `${unit.status}, reused` : unit.status]),
  );
}

function endedOf(result: RunResult, key: string): EndedRecord {
  return result.state.units.get(key)!.ended!;
}

describe('a run', () => {
  it('goes through the gates in the order of their needs and is completed', async () => {
    const world = engineWorld(echo);
    const result = await world.run(CHAIN);
    expect(world.starts).toEqual(['a#1', 'b#1', 'c#1']);
    expect(result.state.status).toBe('completed');
    expect(result.state.problems).toEqual([]);
    expect(result.call).toEqual({ runNumber: 1, runAttempt: 1, continues: false });
  });

  it('gives a gate its needs’ exports and nothing else of them', async () => {
    const seen: unknown[] = [];
    const world = engineWorld(({ unit, request }) => {
      seen.push(request['needs']);
      return { output: { kept: unit, dropped: 'x' } };
    });
    await world.run(pipelineOf({ a: { exports: ['/kept'] }, b: { needs: ['a'] }, c: { needs: ['b'] } }));
    expect(seen[1]).toMatchObject({ a: { output: { kept: 'a' } } });
    expect(JSON.stringify(seen[1])).not.toContain('dropped');
    expect(Object.keys(seen[2] as object)).toEqual(['b']);
  });

  it('reuses everything when nothing changed, and starts no agent', async () => {
    const world = engineWorld(echo);
    await world.run(CHAIN);
    const again = await world.run(CHAIN);
    expect(world.starts).toHaveLength(3);
    expect(statuses(again)).toEqual({ a: 'passed, reused', b: 'passed, reused', c: 'passed, reused' });
    expect(again.call.runNumber).toBe(2);
    expect(endedOf(again, 'a').source).toEqual({ runNumber: 1, runAttempt: 1, n: 1 });
  });

  it('goes on with the open run after a failure, from what is ready', async () => {
    let broken = true;
    const world = engineWorld(({ unit }) => (unit === 'b' && broken ? { result: { exitCode: 3 } } : { output: unit }));
    const first = await world.run(CHAIN);
    expect(statuses(first)).toEqual({ a: 'passed', b: 'failed', c: 'blocked' });
    expect(first.state.status).toBe('error');
    broken = false;
    const second = await world.run(CHAIN);
    expect(world.starts).toEqual(['a#1', 'b#1', 'b#1', 'c#1']);
    expect(second.call).toEqual({ runNumber: 1, runAttempt: 2, continues: true });
    expect(second.planned.map((one) => one.choice)).toEqual(['keep', 'run', 'run']);
  });

  it('keeps descendants when a gate that ran again exports the same', async () => {
    const world = engineWorld(({ unit, files }) => ({ output: { by: unit, noise: files.get('a.txt') ?? '' } }), {
      'a.txt': '1',
    });
    const pipeline = pipelineOf({
      a: { inputs: ['a.txt'], exports: ['/by'] },
      b: { needs: ['a'], exports: ['/by'] },
      c: { needs: ['b'] },
    });
    await world.run(pipeline);
    world.workspace.folder.set('a.txt', '2');
    const second = await world.run(pipeline);
    expect(world.starts.slice(3)).toEqual(['a#1']);
    expect(statuses(second)).toEqual({ a: 'passed', b: 'passed, reused', c: 'passed, reused' });
  });

  it('uses nothing of another subject, other metadata or another input', async () => {
    const world = engineWorld(echo);
    await world.run(CHAIN);
    for (const other of [{ subject: 'other' }, { metadata: { domain: 'x' } }, { input: { story: 1 } }]) {
      world.starts.length = 0;
      await world.run(CHAIN, other);
      expect(world.starts, JSON.stringify(other)).toEqual(['a#1', 'b#1', 'c#1']);
    }
  });

  it('runs independent gates side by side, up to max-parallel', async () => {
    let now = 0;
    let most = 0;
    const world = engineWorld(async ({ unit }) => {
      most = Math.max(most, (now += 1));
      await new Promise((resolve) => setTimeout(resolve, 10));
      now -= 1;
      return { output: unit };
    });
    const gates = Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`g${index}`, {}]));
    await world.run(pipelineOf(gates, { maxParallel: 3 }));
    expect(most).toBe(3);
  });

  it('tries again with the verdict as feedback, in a directory of its own, at most retries + 1 times', async () => {
    const seen: unknown[] = [];
    const world = engineWorld(({ attempt, feedback, env }) => {
      seen.push([feedback?.['kind'], env['GATELINE_OUTPUT']]);
      return attempt < 3 ? { raw: 'nonsense' } : { output: 'well' };
    });
    const result = await world.run(pipelineOf({ a: { retries: 2 } }));
    expect(result.state.status).toBe('completed');
    expect(seen.map((one) => (one as unknown[])[0])).toEqual([undefined, 'malformed', 'malformed']);
    expect(new Set(seen.map((one) => (one as unknown[])[1])).size).toBe(3);
    const failing = engineWorld(() => ({ raw: 'nonsense' }));
    await failing.run(pipelineOf({ a: { retries: 2 } }));
    expect(failing.starts).toEqual(['a#1', 'a#2', 'a#3']);
  });

  it('runs a forced gate again, and what depends on it only if it says something else', async () => {
    let word = 'one';
    const world = engineWorld(({ unit }) => ({ output: unit === 'a' ? word : unit }));
    await world.run(CHAIN);
    const resume = { force: ['a'], actor: 'me', reason: 'new model' };
    await world.run(CHAIN, {}, { resume });
    expect(world.starts.slice(3)).toEqual(['a#1']);
    word = 'two';
    await world.run(CHAIN, {}, { resume });
    expect(world.starts.slice(4)).toEqual(['a#1', 'b#1']);
  });

  it('runs only the gates asked for, with others reused', async () => {
    const world = engineWorld(echo);
    const result = await world.run(CHAIN, { only: new Set(['a']) });
    expect(statuses(result)).toEqual({ a: 'passed', b: 'ready', c: 'pending' });
    await world.run(CHAIN, { only: new Set(['b']) });
    expect(world.starts).toEqual(['a#1', 'b#1']);
  });

  it('lets the caller’s input stand in for a need without a record (step 0B of the state guide)', async () => {
    const seen: unknown[] = [];
    const world = engineWorld(({ request }) => {
      seen.push([request['input'], request['needs']]);
      return { output: 1 };
    });
    const only = new Set(['b']);
    expect(statuses(await world.run(CHAIN, { only }))).toMatchObject({ b: 'pending' });
    const result = await world.run(CHAIN, { only, standIn: {}, input: { from: 'caller' } });
    expect(seen).toMatchObject([[{ from: 'caller' }, { a: { standIn: 'input', output: { from: 'caller' } } }]]);
    expect(result.state.units.get('a')).toMatchObject({ done: false, standIns: new Set(['input']) });
    expect(result.state.units.get('b')).toMatchObject({ status: 'passed', done: false });
  });

  it('waits for an agent that runs by itself, and says so', async () => {
    const world = engineWorld(echo);
    const result = await world.run(pipelineOf({ a: { run: undefined }, b: {} }));
    expect(result.waiting).toEqual(['a']);
    expect(world.starts).toEqual(['b#1']);
  });

  it('is cancelled: what runs is recorded as cancelled and nothing new begins', async () => {
    const controller = new AbortController();
    const world = engineWorld(() => {
      controller.abort();
      return { result: { outcome: 'cancelled' } };
    });
    const result = await world.run(CHAIN, {}, { signal: controller.signal });
    expect(result.cancelled).toBe(true);
    expect(endedOf(result, 'a').verdict.kind).toBe('cancelled');
    expect(world.starts).toEqual(['a#1']);
  });
});

describe('a matrix gate', () => {
  const legs = [
    { id: 'x', matrix: { browser: 'x' } },
    { id: 'y', matrix: { browser: 'y' } },
  ];
  it('runs each leg with its values and hands all of them on', async () => {
    const seen: unknown[] = [];
    const world = engineWorld(({ unit, request }) => {
      if (unit === 'b') seen.push(request['needs']);
      return { output: request['matrix'] as never };
    });
    const result = await world.run(pipelineOf({ a: { legs }, b: { needs: ['a'] } }));
    expect(world.starts).toEqual(['a/x#1', 'a/y#1', 'b#1']);
    expect(seen[0]).toMatchObject({
      a: { legs: { x: { output: { browser: 'x' } }, y: { output: { browser: 'y' } } } },
    });
    expect(result.state.status).toBe('completed');
  });

  it('with fail-fast starts no further leg after a failure, without it does', async () => {
    const failing: AgentScript = ({ unit }) => (unit === 'a/x' ? {} : { output: 1 });
    const fast = engineWorld(failing);
    await fast.run(pipelineOf({ a: { legs, legsMaxParallel: 1 } }));
    expect(fast.starts).toEqual(['a/x#1']);
    const patient = engineWorld(failing);
    await patient.run(pipelineOf({ a: { legs, legsMaxParallel: 1, failFast: false } }));
    expect(patient.starts).toEqual(['a/x#1', 'a/y#1']);
  });
});

describe('a condition', () => {
  const guarded = (condition: string): ReturnType<typeof pipelineOf> =>
    pipelineOf({ a: {}, b: { needs: ['a'], if: condition }, c: { needs: ['b'] } }, { metadata: { kind: 'web' } });

  it('that is false makes a gate not-applicable, and satisfies what needs it', async () => {
    const world = engineWorld(echo);
    const result = await world.run(guarded("metadata.kind == 'api'"));
    expect(statuses(result)).toEqual({ a: 'passed', b: 'not-applicable', c: 'passed' });
    expect(world.starts).toEqual(['a#1', 'c#1']);
    expect(result.state.problems).toEqual([]);
  });

  it('sees what its needs came to', async () => {
    const world = engineWorld(echo);
    const result = await world.run(
      guarded("needs.a.status == 'passed' && needs.a.score == 100 && needs.a.output.by == 'a'"),
    );
    expect(statuses(result)['b']).toBe('passed');
  });

  it('that asks for what is not there blocks the gate with a reason instead of deciding', async () => {
    const world = engineWorld(echo);
    const result = await world.run(guarded('needs.a.output.nothing == 1'));
    expect(result.errors).toMatchObject([{ code: 'CONDITION_UNDECIDED', fault: 'user' }]);
    expect(world.starts).toEqual(['a#1']);
  });
});

describe('a gate that waits for approval', () => {
  it('is not run again by another call, but after a rejection it is', async () => {
    const world = engineWorld(() => ({ output: { score: 50 } }));
    const contract = { ...gateOf('a').contract, score: '/score', threshold: 80, partial: 'pause' as const };
    const pipeline = pipelineOf({ a: { contract }, b: { needs: ['a'] } });
    expect((await world.run(pipeline)).state.status).toBe('paused');
    const again = await world.run(pipeline);
    expect(again.state.status).toBe('paused');
    expect(again.planned[0]).toMatchObject({
      choice: 'blocked',
      reason: expect.stringContaining('approve a') as string,
    });
    expect(world.starts).toEqual(['a#1']);
    const assignment = { pipeline, subject: 'subject', metadata: {}, input: null };
    await decide(world.ports(), assignment, { decision: 'reject', gates: ['a'], actor: 'me', reason: 'too little' });
    await world.run(pipeline);
    expect(world.starts).toEqual(['a#1', 'a#1']);
    await decide(world.ports(), assignment, { decision: 'approve', gates: ['a'], actor: 'me', reason: 'well' });
    expect((await world.run(pipeline)).state.status).toBe('completed');
    expect(world.starts).toEqual(['a#1', 'a#1', 'b#1']);
  });
});

describe('a contract', () => {
  const scored = (threshold: number): ReturnType<typeof pipelineOf> =>
    pipelineOf({ a: { contract: { ...gateOf('a').contract, score: '/score', threshold } }, b: { needs: ['a'] } });

  it('that changed judges a stored output again instead of running the agent', async () => {
    const world = engineWorld(() => ({ output: { score: 70 } }));
    await world.run(scored(60));
    expect(world.starts).toEqual(['a#1', 'b#1']);
    const stricter = await world.run(scored(80));
    expect(world.starts).toEqual(['a#1', 'b#1', 'a#1']);
    expect(statuses(stricter)['a']).toBe('partial');
    const looser = await world.run(scored(50));
    expect(world.starts).toHaveLength(3);
    expect(statuses(looser)['a']).toBe('passed, reused');
  });
});

describe('a contract that is not sound', () => {
  it('of any gate keeps every agent from starting', async () => {
    const world = engineWorld(echo);
    const schema = { inline: { tpye: 'number' } };
    const contract = { ...gateOf('b').contract, schema };
    const result = await world.run(pipelineOf({ a: {}, b: { needs: ['a'], contract } }));
    expect(world.starts).toEqual([]);
    expect(result.errors).toMatchObject([{ fault: 'user', message: expect.stringContaining('tpye') as string }]);
  });
});

describe('an output', () => {
  it('that was altered in the store is never used: the gate runs again', async () => {
    const world = engineWorld(({ unit }) => ({ output: { by: unit } }));
    const first = await world.run(CHAIN);
    world.medium.contents.set(endedOf(first, 'b').value!.digest, Buffer.from('"altered"'));
    await world.run(CHAIN);
    expect(world.starts.slice(3)).toEqual(['b#1']);
  });

  it('of each failing kind gets its own verdict, each with advice', async () => {
    const kinds: Record<string, Partial<Gate>> = {};
    const answers: Record<string, ReturnType<AgentScript>> = {
      missing: {},
      malformed: { raw: '{"a": ' },
      'agent-error': { result: { exitCode: 2 } },
      timeout: { result: { outcome: 'timeout' } },
      schema: { output: 'text' },
      score: { output: 1 },
      check: { output: 1 },
      'no-secret': { output: 1 },
    };
    const contract = gateOf('x').contract;
    for (const kind of Object.keys(answers)) kinds[kind.replace('-', '_')] = {};
    kinds['schema'] = { contract: { ...contract, schema: { inline: { type: 'number' } } } };
    kinds['score'] = { contract: { ...contract, score: '/score', threshold: 50 } };
    kinds['check'] = { contract: { ...contract, checks: ['output.critical == 0'] } };
    kinds['no_secret'] = { secrets: ['MISSING_SECRET'] };
    const world = engineWorld(({ unit }) => answers[unit.replace('_', '-')]);
    const result = await world.run(pipelineOf(kinds, { maxParallel: 8 }));
    for (const kind of Object.keys(answers)) {
      const { verdict } = endedOf(result, kind.replace('-', '_'));
      expect(verdict.kind).toBe(kind);
      expect(verdict.advice.length).toBeGreaterThan(10);
    }
  });

  it('too old for max-age is made again', async () => {
    const world = engineWorld(echo);
    const pipeline = pipelineOf({ a: { maxAge: 60_000 } });
    await world.run(pipeline);
    world.clock = new Date(world.clock.getTime() + 30_000);
    await world.run(pipeline);
    world.clock = new Date(world.clock.getTime() + 31_000);
    await world.run(pipeline);
    expect(world.starts).toEqual(['a#1', 'a#1']);
  });

  it('with reuse: never is made again in every new run, but not when a run goes on', async () => {
    let broken = true;
    const world = engineWorld(({ unit }) => (unit === 'b' && broken ? {} : { output: unit }));
    const pipeline = pipelineOf({ a: { reuse: 'never' }, b: { needs: ['a'] } });
    await world.run(pipeline);
    broken = false;
    await world.run(pipeline);
    expect(world.starts).toEqual(['a#1', 'b#1', 'b#1']);
    await world.run(pipeline);
    expect(world.starts.slice(3)).toEqual(['a#1']);
  });
});
