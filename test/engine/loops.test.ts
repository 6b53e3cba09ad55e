import { describe, expect, it } from 'vitest';
import { decide } from '../../src/engine/decide.ts';
import type { Pipeline } from '../../src/pipeline/pipeline.ts';
import type { JsonObject } from '../../src/json/json.ts';
import { engineWorld, Killed, type AgentCall, type EngineWorld } from '../support/engine-world.ts';
import { pipelineOf } from '../support/pipelines.ts';
import type { GatelineRecord } from '../../src/run/records/record.ts';
import { createMemoryStore } from '../../src/store/memory/memory-store.ts';

const JUDGED = {
  contract: { schema: undefined, score: '/score', threshold: 80, partial: 'block', checks: [] },
} as const;
const ANYBODY = { by: [], notAuthor: false, perCommit: false };
const back = { goto: 'code', maxIterations: 3 };

/** plan → code → format → review; a bad review goes back to code. */
const PIPELINE = pipelineOf({
  plan: {},
  code: { needs: ['plan'], files: 'changed', inputs: ['src', 'notes'] },
  format: { needs: ['code'], files: ['src', 'notes'], inputs: ['src', 'notes'] },
  review: { needs: ['format'], onFail: back, inputs: ['src'], ...JUDGED },
  ship: { needs: ['review'] },
});

/** A world whose review gives one score after another. */
function reviewed(scores: readonly number[], pipeline: Pipeline = PIPELINE) {
  const seen: { request: JsonObject; src: string; notes: string | undefined }[] = [];
  let reviews = 0;
  const script = ({ unit, request, files }: AgentCall) => {
    if (unit === 'code') {
      seen.push({ request, src: files.get('src')!, notes: files.get('notes') });
      files.set('src', `${files.get('src')} code${seen.length}`);
    }
    if (unit === 'format') {
      files.set('src', `${files.get('src')} formatted`);
      files.set('notes', 'by format');
    }
    return {
      output: { score: unit === 'review' ? (scores[reviews++] ?? 100) : 100, by: unit, src: files.get('src') ?? '' },
    };
  };
  const world = engineWorld(script, { src: 'user', notes: '' });
  return { world, seen, run: (more = {}) => world.run(pipeline, more) };
}

const started = (world: EngineWorld) => world.starts.map((start) => start.split('#')[0]!);

describe('a gate that sends work back', () => {
  it('does so until the review passes: what comes before runs once', async () => {
    const { world, run } = reviewed([40, 60, 90]);
    const { state } = await run();
    const round = ['code', 'format', 'review'];
    expect(started(world)).toEqual(['plan', ...round, ...round, ...round, 'ship']);
    expect(state.status).toBe('completed');
    expect(state.units.get('code')!.reworks.map(({ rework }) => [rework.cause, rework.iteration])).toEqual([
      ['review', 1],
      ['review', 2],
    ]);
    expect(state.problems).toEqual([]);
  });

  it('names the gate that runs again, once, and the one that sent it back', async () => {
    const { world, run } = reviewed([40, 90]);
    await run();
    const notices = world.events.filter((event) => event.type === 'notice');
    expect(notices).toEqual([
      {
        type: 'notice',
        unit: 'code',
        message: 'sent back by review (iteration 2): review: score 40 is below the threshold of 80',
      },
    ]);
  });

  it('looks again at work that looks the same', async () => {
    const scores = [10, 20, 90];
    const world = engineWorld(({ unit }) => ({ output: { score: unit === 'review' ? scores.shift()! : 100 } }));
    const { state } = await world.run(pipelineOf({ code: {}, review: { needs: ['code'], onFail: back, ...JUDGED } }));
    expect(started(world)).toEqual(['code', 'review', 'code', 'review', 'code', 'review']);
    expect(state.status).toBe('completed');
  });

  it('puts the failed output of the last round into the request', async () => {
    const { seen, run } = reviewed([40, 60, 90]);
    await run();
    expect(seen[0]!.request).not.toHaveProperty('rework');
    expect(seen[1]!.request['rework']).toMatchObject({
      iteration: 2,
      from: [{ gate: 'review', verdict: { status: 'partial', score: 40 }, output: { score: 40 } }],
    });
    expect(seen[2]!.request['rework']).toMatchObject({ iteration: 3, from: [{ output: { score: 60 } }] });
  });

  it('lets the target go on from its own files and those of the gates after it, and hand on its own only', async () => {
    const { seen, run } = reviewed([40, 90]);
    const { state } = await run();
    expect(seen[1]).toMatchObject({ src: 'user code1 formatted', notes: 'by format' });
    expect(state.units.get('code')!.ended!.files.map(({ path }) => path)).toEqual(['src']);
    expect(state.units.get('format')!.ended!.files.map(({ path }) => path)).toEqual(['notes', 'src']);
  });

  it('ends in error when the target has run as often as it may; a further call runs the review again', async () => {
    const { world, run } = reviewed([10, 20, 30, 40]);
    const { state } = await run();
    expect(started(world).filter((gate) => gate === 'code')).toHaveLength(3);
    expect(state.status).toBe('error');
    world.starts.length = 0;
    await run();
    expect(started(world)).toEqual(['review']);
  });

  it('never does so with max-iterations: 1, and as often as the caller says', async () => {
    const once = reviewed([10, 90]);
    await once.run({ maxIterations: 1 });
    expect(started(once.world).filter((gate) => gate === 'code')).toHaveLength(1);
    const more = reviewed([10, 20, 30, 40, 90]);
    expect((await more.run({ maxIterations: 9 })).state.status).toBe('completed');
  });

  it('counts all loops together with max-reworks', async () => {
    const { world, run } = reviewed([10, 20, 30], { ...PIPELINE, maxReworks: 1 });
    await run();
    expect(started(world).filter((gate) => gate === 'code')).toHaveLength(2);
  });

  it('counts once with max-reworks that all legs of a gate are sent back', async () => {
    const legs = ['x', 'y', 'z'].map((id) => ({ id, matrix: { part: id } }));
    const gates = { code: { legs, files: [] }, review: { needs: ['code'], onFail: back, ...JUDGED } };
    const { world, run } = reviewed([10, 20, 30], pipelineOf(gates, { maxReworks: 2 }));
    await run();
    const perLeg = Map.groupBy(started(world), (unit) => unit);
    expect([...perLeg].map(([unit, starts]) => [unit, starts.length])).toEqual([
      ['code/x', 3],
      ['code/y', 3],
      ['code/z', 3],
      ['review', 3],
    ]);
  });

  it('does so for a judgement only: an agent that crashes ends the run', async () => {
    const world = engineWorld(({ unit }) => (unit === 'review' ? { result: { exitCode: 1 } } : { output: unit }), {
      src: '',
      notes: '',
    });
    const { state } = await world.run(PIPELINE);
    expect(started(world)).toEqual(['plan', 'code', 'format', 'review']);
    expect(state.units.get('review')!.status).toBe('failed');
  });

  it('starts nothing in the next run, which reuses the last iteration with its files', async () => {
    const { world, run } = reviewed([40, 60, 90]);
    const first = await run();
    world.starts.length = 0;
    const second = await run();
    expect(world.starts).toEqual([]);
    expect(second.call.runNumber).toBe(2);
    for (const key of ['code', 'format', 'review'])
      expect(second.state.units.get(key)!.ended!.files).toEqual(first.state.units.get(key)!.ended!.files);
    expect((await run()).call.runNumber).toBe(3);
    expect(world.starts).toEqual([]);
  });

  it('reuses nothing of a loop that did not end well', async () => {
    const { world, run } = reviewed([10, 20, 30, 90]);
    await run();
    world.starts.length = 0;
    await world.run(PIPELINE, {}, { resume: { actor: 'me', reason: 'anew', fresh: true } });
    expect(started(world)).toContain('code');
  });

  it('does not reuse the last iteration of a loop that was reused in another run and sent back there', async () => {
    const { world, run } = reviewed([40, 90, 10, 20, 30, 90]);
    await run();
    const again = await world.run(PIPELINE, {}, { resume: { actor: 'me', reason: 'look again', force: ['review'] } });
    expect(again.state.status).toBe('error');
    world.starts.length = 0;
    await world.run(PIPELINE, {}, { resume: { actor: 'me', reason: 'anew', fresh: true } });
    expect(started(world)).toEqual(['code', 'format', 'review', 'ship']);
  });

  it('begins anew when a person asks for another attempt', async () => {
    const { world, seen, run } = reviewed([10, 20, 30, 90]);
    await run();
    const resume = { actor: 'me', reason: 'again', strategy: 'from-checkpoint' as const, from: ['code'], lift: true };
    const { state } = await world.run(PIPELINE, {}, { resume });
    expect(seen.at(-1)!.request).not.toHaveProperty('rework');
    expect(state.status).toBe('completed');
  });

  it('goes on where it is with retry-previous, and each start names its own reason', async () => {
    const scores = [10, 20, 30, 90];
    const world = engineWorld(({ unit }) => ({ output: { score: unit === 'review' ? scores.shift()! : 100 } }));
    const onFail = { goto: 'code', maxIterations: 2 };
    const pipeline = pipelineOf({ code: {}, review: { needs: ['code'], onFail, ...JUDGED } });
    await world.run(pipeline);
    const again = { actor: 'maria', reason: 'once more', lift: true } as const;
    const asked = 'maria asked for a new attempt: once more';
    const { plan } = await world.plan(pipeline, {}, { ...again, strategy: 'retry-previous' });
    expect(plan.units[0]).toMatchObject({ choice: 'run', reason: asked });
    const { state } = await world.run(pipeline, {}, { resume: { ...again, strategy: 'retry-previous' } });
    expect(started(world)).toEqual(['code', 'review', 'code', 'review', 'code', 'review']);
    expect(state.units.get('code')!.ended!.rework!.iteration).toBe(2);
    expect(state.status).toBe('error');
    // --from begins the loop anew.
    world.starts.length = world.events.length = 0;
    scores.unshift(40);
    await world.run(pipeline, {}, { resume: { ...again, strategy: 'from-checkpoint', from: ['code'] } });
    expect(started(world)).toEqual(['code', 'review', 'code', 'review']);
    const reasons = world.events.flatMap((event) =>
      event.type === 'planned' && event.planned.key === 'code' && event.planned.choice === 'run'
        ? [event.planned.reason]
        : [],
    );
    expect(reasons).toEqual([asked, 'the work was sent back']);
  });

  it('starts no agent without the output that sent the work back, and says how the loop begins again', async () => {
    const { world, run } = reviewed([10, 20, 90]);
    await run({ maxIterations: 2 });
    const review = (await world.ports().store.list('test', 'subject')).records.find(
      (one) => one.kind === 'ended' && one.gate === 'review',
    );
    if (review?.kind !== 'ended') throw new Error('nothing was reviewed');
    world.medium.contents.delete(review.value!.digest);
    const reject = { decision: 'reject', gates: ['code'], actor: 'me', reason: 'no' } as const;
    await decide(world.ports(), { pipeline: PIPELINE, subject: 'subject', metadata: {}, input: null }, reject);
    world.starts.length = 0;
    const { errors } = await run();
    expect(errors).toMatchObject([{ code: 'CONTENT_MISSING', hint: expect.stringContaining('--force code ') }]);
    expect(world.starts).toEqual([]);
    const resume = { actor: 'me', reason: 'again', force: ['code'] };
    expect((await world.run(PIPELINE, {}, { resume })).state.status).toBe('completed');
  });

  it('keeps what another gate said in every iteration', async () => {
    const scores = [10, 20, 30, 90];
    let iteration = 0;
    const world = engineWorld(({ unit }) => ({
      output: { score: unit === 'review' ? scores.shift()! : 100, iteration: unit === 'code' ? (iteration += 1) : 0 },
    }));
    const pipeline = pipelineOf({
      code: {},
      review: { needs: ['code'], onFail: { goto: 'code', maxIterations: 4 }, ...JUDGED },
      docs: { needs: ['code'] },
    });
    await world.run(pipeline, { maxIterations: 1 });
    world.starts.length = 0;
    const resume = { actor: 'me', reason: 'again', strategy: 'from-checkpoint' as const, from: ['review'], lift: true };
    const keep = { gates: new Set(['code', 'docs']), actor: 'me', reason: 'they are good' };
    const { state, errors } = await world.run(pipeline, { keep }, { resume });
    expect(errors).toEqual([]);
    expect(started(world)).toEqual(['review', 'code', 'review', 'code', 'review']);
    expect(state.status).toBe('completed');
  });

  it.each([
    ['in its run', 20, false],
    ['in the next run, as one of another iteration', 90, true],
  ])('uses no output that a decision which cannot be read may have sent back: %s', async (_, second, isOver) => {
    const { world, run } = reviewed([10, second, 95]);
    const first = await run({ maxIterations: 2 });
    expect(first.state.status).toBe(isOver ? 'completed' : 'error');
    const [key, kept] = [...world.medium.records].find(([, { name }]) => name.includes('rework'))!;
    world.medium.records.set(key, { ...kept, bytes: 'unreadable' });
    world.starts.length = 0;
    await run();
    expect(started(world)).toContain('code');
  });

  describe('whose last output a person approves', () => {
    const pausing = { ...JUDGED.contract, partial: 'pause', result: { pointer: '/label', pass: ['ok'] } } as const;
    const blocking = { ...JUDGED.contract, result: pausing.result };

    /** Sent back because of the label; then the score is too low, and the output is approved, or not. */
    async function judgedTwice(contract: typeof pausing | typeof blocking, isApproved: boolean) {
      const labels = ['bad', 'ok'];
      const world = engineWorld(({ unit }) => ({
        output: unit === 'review' ? { label: labels.shift() ?? 'ok', score: 10 } : world.starts.length,
      }));
      const onFail = { ...back, maxIterations: 2 };
      const pipeline = pipelineOf({
        code: {},
        review: { needs: ['code'], onFail, contract },
        ship: { needs: ['review'] },
      });
      const assignment = { pipeline, subject: 'subject', metadata: {}, input: null };
      await world.run(pipeline);
      expect(started(world)).toEqual(['code', 'review', 'code', 'review']);
      const by = { actor: 'maria', reason: 'good enough' };
      if (isApproved) await decide(world.ports(), assignment, { decision: 'approve', gates: ['review'], ...by });
      const approved = await world.run(pipeline);
      expect(approved.state.status).toBe(isApproved ? 'completed' : contract.partial === 'pause' ? 'paused' : 'error');
      world.starts.length = 0;
      return { world, pipeline };
    }

    it.each([
      ['paused', pausing],
      ['blocked', blocking],
    ] as const)('ended well, so the next run does not go through it again: one that %s', async (_, contract) => {
      const { world, pipeline } = await judgedTwice(contract, true);
      const { state, planned } = await world.run(pipeline);
      expect(world.starts).toEqual([]);
      expect(planned.map(({ choice }) => choice)).toEqual(['reuse', 'reuse', 'reuse']);
      expect(state).toMatchObject({ runNumber: 2, status: 'completed' });
    });

    it('ended well, whatever is decided about it later: the review alone runs again', async () => {
      const { world, pipeline } = await judgedTwice(pausing, true);
      await world.run(pipeline, {}, { resume: { actor: 'me', reason: 'again', force: ['review'] } });
      expect(started(world)).toEqual(['review']);
    });

    it('did not end well without the approval', async () => {
      const { world, pipeline } = await judgedTwice(pausing, false);
      await world.run(pipeline, {}, { resume: { actor: 'me', reason: 'anew', fresh: true } });
      expect(started(world)).toContain('code');
    });
  });

  it('plans what it does', async () => {
    const { world, run } = reviewed([10, 90]);
    await run({ maxIterations: 1 });
    const { plan } = await world.plan(PIPELINE);
    expect(plan.units.map(({ key, choice }) => `${key} ${choice}`)).toContain('review send-back');
    expect((await run()).state.status).toBe('completed');
  });
});

describe('gates that send work back to one gate', () => {
  const two = (mode: 'parallel' | 'sequential', onFail: typeof back | undefined) =>
    pipelineOf(
      {
        code: { files: ['src'], inputs: ['src'] },
        review: { needs: ['code'], ...JUDGED, ...(onFail === undefined && { onFail: back }) },
        test: { needs: ['code'], ...JUDGED, ...(onFail === undefined && { onFail: back }) },
      },
      { groups: onFail ? [{ id: 'checks', gates: ['review', 'test'], mode, onFail }] : [], maxParallel: 4 },
    );

  const scored = (scores: Record<string, number[]>) => {
    const requests: JsonObject[] = [];
    const world = engineWorld(
      async ({ unit, request }) => {
        if (unit === 'code') requests.push(request);
        if (unit === 'test') await new Promise((resolve) => setTimeout(resolve, 5));
        return { output: { score: scores[unit]?.shift() ?? 100, iteration: unit === 'code' ? requests.length : 0 } };
      },
      { src: 'user' },
    );
    return { world, requests };
  };

  it('start it once, with both outputs in its request', async () => {
    const { world, requests } = scored({ review: [10], test: [20] });
    expect((await world.run(two('parallel', undefined))).state.status).toBe('completed');
    expect(requests).toHaveLength(2);
    expect((requests[1]!['rework'] as JsonObject)['from']).toMatchObject([{ gate: 'review' }, { gate: 'test' }]);
  });

  it('are in the same order in its request when the records are read again', async () => {
    const world = engineWorld(({ unit }) => ({ output: { score: unit === 'code' ? 100 : 10 } }));
    const onFail = { goto: 'code', maxIterations: 2 };
    const pipeline = pipelineOf({
      code: {},
      test: { needs: ['code'], onFail, ...JUDGED },
      review: { needs: ['code'], onFail, ...JUDGED },
    });
    await world.run(pipeline);
    world.starts.length = 0;
    await world.run(pipeline);
    expect(started(world).toSorted()).toEqual(['review', 'test']);
  });

  it.each(['parallel', 'sequential'] as const)(
    'as a %s group: all end first, and all that failed go back',
    async (mode) => {
      const { world, requests } = scored({ review: [10, 90], test: [20, 90] });
      const { state } = await world.run(two(mode, back));
      expect(state.status).toBe('completed');
      expect(requests).toHaveLength(2);
      expect((requests[1]!['rework'] as JsonObject)['from']).toMatchObject([{ gate: 'review' }, { gate: 'test' }]);
      expect(started(world)).toHaveLength(6);
    },
  );

  it.each(['parallel', 'sequential'] as const)(
    'in a %s group: one that is reused keeps nothing from going back',
    async (mode) => {
      const scores = [10, 20, 30, 90];
      let times = 0;
      const pipeline = pipelineOf(
        {
          code: { files: ['src'], inputs: ['src'] },
          review: { needs: ['code'], inputs: ['src'], ...JUDGED },
          lint: { needs: ['code'], ...JUDGED },
        },
        {
          groups: [{ id: 'checks', gates: ['review', 'lint'], mode, onFail: { ...back, maxIterations: 4 } }],
          maxParallel: 1,
        },
      );
      const world = engineWorld(
        ({ unit, files }) => {
          if (unit === 'code') files.set('src', `version ${++times}`);
          // In the third iteration `lint` is asked what it was asked in the first one.
          const odd = unit === 'code' ? times % 2 : 0;
          return { output: { score: unit === 'review' ? scores.shift()! : 100, odd } };
        },
        { src: 'user' },
      );
      expect((await world.run(pipeline)).state.status).toBe('completed');
      const [both, one] = [
        ['code', 'review', 'lint'],
        ['code', 'review'],
      ];
      expect(started(world)).toEqual([...both, ...both, ...one, ...one]);
    },
  );

  it('in a group that sends nothing back any more: the notice names the group', async () => {
    const { world } = scored({ review: [10], test: [95] });
    await world.run(two('parallel', { ...back, maxIterations: 1 }));
    const notices = world.events.filter((event) => event.type === 'notice');
    expect(notices).toEqual([
      { type: 'notice', message: 'checks: not sent back: code has run 1 of 1 time; --max-iterations allows more' },
    ]);
  });

  it('in a group with one that failed: the other one is kept as it is and runs again on the new work', async () => {
    const { world, requests } = scored({ review: [10, 90], test: [95, 95] });
    expect((await world.run(two('parallel', back))).state.status).toBe('completed');
    expect((requests[1]!['rework'] as JsonObject)['from']).toMatchObject([{ gate: 'review' }]);
    expect(started(world)).toEqual(['code', 'review', 'test', 'code', 'review', 'test']);
  });

  describe('with legs and fail-fast', () => {
    const legs = ['x', 'y', 'z'].map((id) => ({ id, matrix: { on: id } }));
    const pipeline = pipelineOf(
      { code: {}, review: { needs: ['code'], legs, onFail: { goto: 'code', maxIterations: 2 }, ...JUDGED } },
      { maxParallel: 1 },
    );

    it('let all legs end before the work goes back, and stop the others when it may not', async () => {
      const world = engineWorld(({ unit }) => ({ output: { score: /x$|code/.test(unit) ? 100 : -1 } }));
      const { state } = await world.run(pipeline);
      expect(started(world)).toEqual(['code', 'review/x', 'review/y', 'review/z', 'code', 'review/y']);
      expect(state.units.get('code')!.reworks).toHaveLength(1);
    });

    it('stop the others when an agent crashed', async () => {
      const world = engineWorld(({ unit }) => (unit === 'review/x' ? {} : { output: { score: 100 } }));
      await world.run(pipeline);
      expect(started(world)).toEqual(['code', 'review/x']);
    });
  });

  it('in a group: one whose output is gone does not wait for itself', async () => {
    const pipeline = pipelineOf(
      { code: {}, review: { needs: ['code'], ...JUDGED }, test: { needs: ['code'], approval: ANYBODY, ...JUDGED } },
      { groups: [{ id: 'checks', gates: ['review', 'test'], mode: 'sequential', onFail: back }] },
    );
    const world = engineWorld(({ unit }) => ({ output: { score: unit === 'review' ? 10 : 95, by: unit } }));
    const { state } = await world.run(pipeline);
    expect(state.units.get('test')!.status).toBe('paused');
    world.medium.contents.delete(state.units.get('test')!.ended!.value!.digest);
    world.starts.length = 0;
    await world.run(pipeline);
    expect(started(world)).toContain('test');
  });
});

describe('a killed engine', () => {
  it('sends back the legs that it did not get to', async () => {
    const legs = ['x', 'y', 'z'].map((id) => ({ id, matrix: { on: id } }));
    const pipeline = pipelineOf({ code: { legs }, review: { needs: ['code'], onFail: back, ...JUDGED } });
    const world = engineWorld(({ unit, request }: AgentCall) => {
      const { iteration } = (request['rework'] ?? { iteration: 1 }) as { iteration: number };
      const isAgain = JSON.stringify(request['needs'] ?? null).includes('"iteration":2');
      return { output: { iteration, score: unit === 'review' && !isAgain ? 10 : 100 } };
    });
    await world.run(pipeline);
    // What a call has recorded that was killed after the first of three decisions.
    for (const [key, { name }] of world.medium.records)
      if (/\.1\.1\.2\.|code\.[yz]\..*rework/.test(name)) world.medium.records.delete(key);
    world.starts.length = 0;
    const { state } = await world.run(pipeline);
    expect(started(world).toSorted()).toEqual(['code/x', 'code/y', 'code/z', 'review']);
    expect(state.status).toBe('completed');
    expect(legs.map(({ id }) => state.units.get(`code/${id}`)!.reworks.length)).toEqual([1, 1, 1]);
  });

  it('goes on with the loop where it was, at every operation: no gate starts more than once more', async () => {
    const whole = reviewed([40, 60, 90]);
    await whole.run();
    for (let dieAfter = 1, isDead = true; isDead; dieAfter += 3) {
      const { world, run } = reviewed([40, 60, 90]);
      isDead = await world.run(PIPELINE, {}, { dieAfter }).then(
        () => false,
        (error: unknown) => {
          if (error instanceof Killed) return true;
          throw error;
        },
      );
      const { state } = await run();
      expect(state.status, `killed after ${dieAfter}`).toBe('completed');
      const most = whole.world.starts.length + 1;
      expect(world.starts.length, `killed after ${dieAfter}`).toBeLessThanOrEqual(most);
    }
  });

  it.each(['parallel', 'sequential'] as const)(
    'keeps the result of a gate in a %s group until the others have ended: none starts again that had ended',
    async (mode) => {
      const pipeline = pipelineOf(
        {
          code: { files: ['src'], inputs: ['src'] },
          review: { needs: ['code'], inputs: ['src'], ...JUDGED },
          test: { needs: ['code'], inputs: ['src'], ...JUDGED },
        },
        { groups: [{ id: 'checks', gates: ['review', 'test'], mode, onFail: back }], maxParallel: 4 },
      );
      const answer = ({ unit, request, files }: AgentCall) => {
        if (unit !== 'code') return { output: { score: files.get('src') === 'user' ? 10 : 90 } };
        const { iteration } = (request['rework'] ?? { iteration: 1 }) as { iteration: number };
        if (iteration > 1) files.set('src', 'done');
        return { output: { iteration } };
      };
      const world = (): EngineWorld => engineWorld(answer, { src: 'user' });
      const whole = world();
      await whole.run(pipeline);
      expect(started(whole).toSorted()).toEqual(['code', 'code', 'review', 'review', 'test', 'test']);
      for (let dieAfter = 1, isDead = true; isDead; dieAfter += 4) {
        const killed = world();
        isDead = await killed.run(pipeline, {}, { dieAfter }).then(
          () => false,
          (error: unknown) => {
            if (error instanceof Killed) return true;
            throw error;
          },
        );
        const { records } = await createMemoryStore(killed.medium).list('test', 'subject');
        const place = (one: GatelineRecord): string => `${one.gate} ${one.runNumber}.${one.runAttempt}.${one.n}`;
        const ended = new Set(records.filter(({ kind }) => kind === 'ended').map(place));
        const open = records.filter((one) => one.kind === 'started' && !ended.has(place(one))).map(({ gate }) => gate);
        expect((await killed.run(pipeline)).state.status, `killed after ${dieAfter}`).toBe('completed');
        const rest = started(killed);
        for (const gate of started(whole)) {
          expect(rest, `killed after ${dieAfter}`).toContain(gate);
          rest.splice(rest.indexOf(gate), 1);
        }
        expect(
          rest.filter((gate) => !open.includes(gate)),
          `killed after ${dieAfter}`,
        ).toEqual([]);
      }
    },
  );
});
