import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { runPipeline } from '../../src/engine/run-pipeline.ts';
import type { Budget, BudgetAmount } from '../../src/pipeline/budget.ts';
import type { Gate, Pipeline } from '../../src/pipeline/pipeline.ts';
import type { RecordStore } from '../../src/store/record-store.ts';
import { ciRun } from '../support/ci-run.ts';
import { engineWorld, Killed, type AgentScript, type EngineWorld } from '../support/engine-world.ts';
import { pipelineOf } from '../support/pipelines.ts';

const BUDGET: Budget = { run: undefined, day: undefined, onUnknown: 'allow', prices: undefined };

/** Agents that spend 40 cents each. */
const SPENDS: AgentScript = ({ unit }) => ({ output: unit, metrics: { costUsd: 0.4 } });

function limited(gates: Readonly<Record<string, Partial<Gate>>>, budget: Partial<Budget>): Pipeline {
  return pipelineOf(gates, { maxParallel: 3, budget: { ...BUDGET, ...budget } });
}

/** Three gates that may spend so much each, one after the other or side by side. */
function three(how: 'chain' | 'parallel', run: number, budget: BudgetAmount = { dollars: 0.4 }): Pipeline {
  const needs = (id: string): Partial<Gate> => ({ budget, ...(how === 'chain' && { needs: [id] }) });
  return limited({ a: { budget }, b: needs('a'), c: needs('b') }, { run: { dollars: run } });
}

function chosen(world: EngineWorld): string[] {
  return world.events.flatMap((event) =>
    event.type === 'planned' ? [`${event.planned.key} ${event.planned.choice}`] : [],
  );
}

describe.each(['chain', 'parallel'] as const)('three gates of 40 cents each under one dollar, in %s', (how) => {
  it('start twice, pause the run without a record, and continue with the third alone once there is more', async () => {
    const world = engineWorld(SPENDS);
    const { state, errors, planned } = await world.run(three(how, 1));
    expect(world.starts).toEqual(['a#1', 'b#1']);
    expect(errors).toEqual([]);
    expect(state.status).toBe('paused');
    const why = 'over budget: USD 1.00 for the run, USD 0.80 spent, USD 0.40 to reserve';
    expect(state.units.get('c')).toMatchObject({ status: 'blocked', blockedBy: 'budget', reason: why });
    expect(planned.at(-1)).toMatchObject({ key: 'c', choice: 'blocked', budget: { choice: 'blocked' } });
    expect([...world.medium.records.values()].filter(({ name }) => name.startsWith('c.'))).toEqual([]);
    const again = await world.run(three(how, 1));
    expect([again.state.status, world.starts]).toEqual(['paused', ['a#1', 'b#1']]);
    const more = await world.run(three(how, 1.2));
    expect([more.state.status, more.state.runNumber]).toEqual(['completed', 1]);
    expect(world.starts).toEqual(['a#1', 'b#1', 'c#1']);
  });

  it('start all when they leave enough of what was reserved', async () => {
    const world = engineWorld(({ unit }) => ({ output: unit, metrics: { costUsd: 0.2 } }));
    const { state } = await world.run(three(how, 0.8));
    expect([state.status, world.starts]).toEqual(['completed', ['a#1', 'b#1', 'c#1']]);
    expect(chosen(world).filter((one) => one.endsWith('blocked'))).toEqual([]);
  });
});

it('a gate that starts has its part before its claim is durable', async () => {
  const world = engineWorld(SPENDS);
  const pipeline = three('parallel', 1);
  const ports = world.ports();
  const { store } = ports;
  const slowly: RecordStore = {
    list: (...of) => store.list(...of),
    subjects: (of) => store.subjects(of),
    put: (content) => store.put(content),
    putStream: (chunks) => store.putStream(chunks),
    get: (digest) => store.get(digest),
    check: (digest) => store.check(digest),
    copyTo: (...to) => store.copyTo(...to),
    write: async (record) => {
      if (record.kind === 'started') await sleep(50);
      return store.write(record);
    },
  };
  const about = { pipeline, subject: 'subject', metadata: {}, input: null };
  await runPipeline({ ...ports, store: slowly }, about, {
    observe: () => undefined,
    signal: new AbortController().signal,
  });
  expect(world.starts).toEqual(['a#1', 'b#1']);
});

it('of gates that could start together, as many do as fit', async () => {
  let working = 0;
  let most = 0;
  const world = engineWorld(async (call) => {
    most = Math.max(most, ++working);
    await sleep(20);
    working -= 1;
    return { output: call.unit, metrics: { costUsd: 0.1 } };
  });
  await world.run(three('parallel', 1));
  expect([most, world.starts]).toEqual([2, ['a#1', 'b#1', 'c#1']]);
});

it.each(['chain', 'parallel'] as const)(
  'whenever the engine is killed, what fits starts, and no more: in %s',
  async (how) => {
    let operations = 0;
    for (let survived = false; !survived; operations += 3) {
      const world = engineWorld(SPENDS);
      survived = await world.run(three(how, 1), {}, { dieAfter: operations }).then(
        () => true,
        (error: unknown) => {
          if (!(error instanceof Killed)) throw error;
          return false;
        },
      );
      const before = world.starts.length;
      const { records } = await world.ports().store.list('test', 'subject');
      const ended = records.filter(({ kind }) => kind === 'ended').length;
      const { state } = await world.run(three(how, 1));
      expect(world.starts.length - before, `after ${operations} operations`).toBe(2 - ended);
      expect([...state.units.values()].filter(({ done }) => done)).toHaveLength(2);
      expect(state.status).toBe('paused');
    }
    expect(operations).toBeGreaterThan(50);
  },
);

describe('attempts after the first', () => {
  const FAILS: AgentScript = () => ({ output: 'no', metrics: { costUsd: 0.4 } });
  const refused = { contract: { ...pipelineOf({ a: {} }).gates[0]!.contract, checks: ['output == 1'] } };
  const retried = { ...refused, retries: 5 } as unknown as Partial<Gate>;

  it('are bounded by the budget of the gate', async () => {
    const world = engineWorld(FAILS);
    const { state } = await world.run(limited({ a: { ...retried, budget: { dollars: 1 } } }, {}));
    expect(world.starts).toEqual(['a#1', 'a#2', 'a#3']);
    expect(state.units.get('a')!.status).toBe('failed');
    const why = 'no further attempt: over budget: USD 1.00 for the gate, USD 1.20 spent';
    expect(world.events).toContainEqual({ type: 'notice', unit: 'a', message: why });
  });

  it('are bounded by the budget of the run', async () => {
    const world = engineWorld(FAILS);
    await world.run(limited({ a: { ...retried, budget: { dollars: 0.4 } } }, { run: { dollars: 1 } }));
    expect(world.starts).toEqual(['a#1']);
    const free = engineWorld(FAILS);
    await free.run(limited({ a: retried }, { run: { dollars: 1 } }));
    expect(free.starts).toEqual(['a#1', 'a#2', 'a#3']);
  });
});

describe('tokens and minutes', () => {
  it('are limits of their own', async () => {
    const tokens = engineWorld(({ unit }) => ({ output: unit, metrics: { inputTokens: 700, outputTokens: 100 } }));
    const { state } = await tokens.run(
      limited({ a: {}, b: { needs: ['a'] }, c: { needs: ['b'] } }, { run: { tokens: 1_500 } }),
    );
    expect(tokens.starts).toEqual(['a#1', 'b#1']);
    expect(state.units.get('c')!.reason).toBe('over budget: 1500 tokens for the run, 1600 tokens spent');
    const minutes: EngineWorld = engineWorld(({ unit }) => {
      minutes.clock = new Date(minutes.clock.getTime() + 6 * 60_000);
      return { output: unit };
    });
    await minutes.run(
      limited({ a: {}, b: { needs: ['a'] }, c: { needs: ['b'] } }, { run: { minutes: 10, dollars: 1 } }),
    );
    expect(minutes.starts).toEqual(['a#1', 'b#1']);
  });
});

describe('a cost that is not known', () => {
  const gates = { a: {}, b: { needs: ['a'] } };
  const silent: AgentScript = ({ unit }) => ({ output: unit });

  it('is named, and lets later gates start', async () => {
    const world = engineWorld(silent);
    const { state, planned } = await world.run(limited(gates, { run: { dollars: 1 } }));
    expect(state.status).toBe('completed');
    expect(planned[1]!.notices).toContain('unknown, and not counted in the budget: the dollars of a');
  });

  it('lets none start with on-unknown: fail', async () => {
    const world = engineWorld(silent);
    const { state } = await world.run(limited(gates, { run: { dollars: 1 }, onUnknown: 'fail' }));
    expect(world.starts).toEqual(['a#1']);
    expect(state.status).toBe('paused');
    expect(state.units.get('b')!.reason).toBe('the dollars of a are unknown, and budget.on-unknown is fail');
    expect((await world.run(limited(gates, { run: { tokens: 1 }, onUnknown: 'allow' }))).state.status).toBe(
      'completed',
    );
  });

  it('is one of an attempt whose agent started, and of no other', async () => {
    const world = engineWorld(silent);
    const secret = { a: { secrets: ['KEY'] } };
    const { state } = await world.run(limited(secret, { run: { dollars: 1 }, onUnknown: 'fail' }));
    expect(state.units.get('a')!.ended!.verdict.kind).toBe('no-secret');
    world.environment['KEY'] = 'value';
    expect((await world.run(limited(secret, { run: { dollars: 1 }, onUnknown: 'fail' }))).state.status).toBe(
      'completed',
    );
  });
});

describe('prices', () => {
  const prices = { 'prices.json': JSON.stringify({ small: { input: 1, output: 5 } }) };
  const metrics = { model: 'small', inputTokens: 200_000, outputTokens: 100_000 };
  const named = { run: { dollars: 1 }, prices: 'prices.json' };

  it('turn tokens into dollars where an agent reports none', async () => {
    const world = engineWorld(
      ({ unit }) => ({ output: unit, metrics: unit === 'a' ? metrics : { ...metrics, costUsd: 0.1 } }),
      prices,
    );
    const { state } = await world.run(limited({ a: {}, b: { needs: ['a'] } }, named));
    expect([...state.units.values()].map(({ ended }) => ended!.metrics!.costUsd)).toEqual([0.7, 0.1]);
  });

  it('say of which model they lack the price, and do not guess', async () => {
    const world = engineWorld(({ unit }) => ({ output: unit, metrics: { ...metrics, model: 'constructor' } }), prices);
    const { state } = await world.run(limited({ a: {} }, named));
    const { verdict, metrics: kept } = state.units.get('a')!.ended!;
    expect(kept).not.toHaveProperty('costUsd');
    expect(verdict.issues).toContainEqual(
      expect.objectContaining({ message: 'the cost is unknown: the table of prices has no model "constructor"' }),
    );
  });

  it.each([
    ['no file', {}],
    ['no JSON', { 'prices.json': '{' }],
    ['a price that is none', { 'prices.json': '{"small": {"input": -1, "output": 5}}' }],
  ])('start no agent where there is %s', async (_, files: Record<string, string>) => {
    const world = engineWorld(SPENDS, files);
    const { errors } = await world.run(limited({ a: {} }, named));
    expect([errors.map(({ code }) => code), world.starts]).toEqual([['PRICES_INVALID'], []]);
    expect((await world.plan(limited({ a: {} }, named))).errors.map(({ code }) => code)).toEqual(['PRICES_INVALID']);
  });
});

describe('a plan', () => {
  it('says what is reserved, and from where', async () => {
    const world = engineWorld(SPENDS);
    const pipeline = limited(
      { a: { budget: { dollars: 0.4 } }, b: {}, c: { budget: { dollars: 2 } } },
      { run: { dollars: 1 } },
    );
    const { plan } = await world.plan(pipeline);
    expect(plan.units.map(({ choice, budget, notices }) => ({ choice, budget, notices }))).toMatchObject([
      { choice: 'run', budget: { choice: 'start', reserves: { amount: { dollars: 0.4 }, from: 'budget' } } },
      { choice: 'run', budget: { choice: 'start', reserves: { amount: {}, from: 'none' } } },
      { choice: 'blocked', budget: { choice: 'blocked', reserves: { amount: { dollars: 2 }, from: 'budget' } } },
    ]);
    expect(plan.units[0]!.notices).toEqual(['reserves USD 0.40: its own budget']);
    expect(plan.units[1]!.notices).toEqual([
      'reserves nothing: it has no budget of its own, and no earlier run shows its dollars',
    ]);
    expect(world.starts).toEqual([]);
  });
});

describe('jobs of a CI run', () => {
  it('are bounded by what their ancestors spent', async () => {
    const run = ciRun(SPENDS);
    const pipeline = three('chain', 1);
    await run.job(pipeline, 'a');
    await run.job(pipeline, 'b');
    await expect(run.job(pipeline, 'c')).rejects.toMatchObject({ code: 'BUDGET_EXCEEDED' });
    await expect(run.begin(pipeline, 'c')).rejects.toThrow(/gate c: over budget: USD 1.00 for the run, USD 0.80 spent/);
    expect(run.starts).toEqual(['a#1', 'b#1']);
    run.runAttempt = 2;
    await run.job(three('chain', 1.2), 'c');
    expect(run.starts).toEqual(['a#1', 'b#1', 'c#1']);
  });

  it('check no limit of a day', async () => {
    const run = ciRun(SPENDS);
    await run.job(limited({ a: { budget: { dollars: 0.4 } } }, { day: { dollars: 0.1 } }), 'a');
    expect(run.starts).toEqual(['a#1']);
  });
});
