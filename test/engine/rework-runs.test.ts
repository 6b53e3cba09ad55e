import { describe, expect, it } from 'vitest';
import { completeGate } from '../../src/engine/complete.ts';
import { reworkOfRun, type RunRework } from '../../src/engine/rework-of-run.ts';
import { verifyRun } from '../../src/engine/verify-run.ts';
import type { JsonObject } from '../../src/json/json.ts';
import type { Pipeline } from '../../src/pipeline/pipeline.ts';
import { givenReworkSchema, type GivenRework } from '../../src/run/records/reworks.ts';
import type { DecidedRecord, EndedRecord, GatelineRecord } from '../../src/run/records/record.ts';
import { createMemoryStore } from '../../src/store/memory/memory-store.ts';
import { ciRun, type CiRun } from '../support/ci-run.ts';
import type { AgentCall } from '../support/engine-world.ts';
import { pipelineOf } from '../support/pipelines.ts';

const JUDGED = {
  contract: { schema: undefined, score: '/score', threshold: 80, partial: 'block', checks: [] },
} as const;
const back = { goto: 'code', maxIterations: 3 };

/** plan → code → format → review; a bad review goes back to code. */
const PIPELINE = pipelineOf({
  plan: { inputs: [] },
  code: { needs: ['plan'], files: 'changed', inputs: ['src', 'notes'] },
  format: { needs: ['code'], files: ['src', 'notes'], inputs: ['src', 'notes'] },
  review: { needs: ['format'], onFail: back, inputs: ['src'], ...JUDGED },
});

/** CI runs whose review gives one score after another. */
function reviewed(scores: readonly number[], pipeline: Pipeline = PIPELINE) {
  const seen: { request: JsonObject; src: string; notes: string | undefined }[] = [];
  let reviews = 0;
  const run = ciRun(
    ({ unit, request, files }: AgentCall) => {
      if (unit === 'code') {
        seen.push({ request, src: files.get('src')!, notes: files.get('notes') });
        files.set('src', `${files.get('src')} code${seen.length}`);
      }
      if (unit === 'format') {
        files.set('src', `${files.get('src')} formatted`);
        files.set('notes', 'by format');
      }
      const score = unit === 'review' ? (scores[reviews++] ?? 100) : 100;
      return { output: { score, by: unit, src: files.get('src') ?? '' } };
    },
    { src: 'user', notes: '' },
  );
  /** The jobs of one run, each as far as it gets, and what its report decides. */
  const chain = async (rework?: GivenRework): Promise<RunRework> => {
    for (const { id } of pipeline.gates) await run.job(pipeline, id, { assignment: { rework } }).catch(() => undefined);
    return report(run, pipeline, rework);
  };
  const next = async (rework?: GivenRework): Promise<RunRework> => {
    run.runNumber += 1;
    return chain(rework);
  };
  return { run, seen, chain, next };
}

/** What the report of a run decides, from the records without those that any job may have written. */
async function report(run: CiRun, pipeline: Pipeline, before?: GivenRework): Promise<RunRework> {
  const { ports, call } = run.open('report');
  const assignment = { pipeline, subject: 'subject', metadata: {}, input: null };
  const all = await records(run);
  const isClaim = (one: GatelineRecord): one is DecidedRecord =>
    one.kind === 'decided' && one.rework !== undefined && one.runNumber === run.runNumber;
  const listing = { records: all.filter((one) => !isClaim(one)), problems: [], unprovenDecisions: true } as const;
  const view = await verifyRun(ports, assignment, { call: { ...call.call, listing } });
  return reworkOfRun(ports, assignment, view, { call: call.call, claims: all.filter(isClaim), before });
}

async function records(run: CiRun): Promise<readonly GatelineRecord[]> {
  return (await createMemoryStore(run.medium).list('test', 'subject')).records;
}

function given(rework: RunRework): GivenRework {
  if (rework.choice !== 'send-back') throw new Error(`nothing is sent back: ${rework.why}`);
  return givenReworkSchema.parse(JSON.parse(JSON.stringify(rework.given)));
}

describe('work that one CI run sends back to another', () => {
  it('is named by what the event of the next run has to say', async () => {
    const { chain } = reviewed([40]);
    expect(given(await chain())).toMatchObject({
      count: 1,
      target: 'code',
      iterations: { code: 2 },
      sent: { review: 1 },
      from: [{ unit: 'review' }],
      over: [{ unit: 'code' }, { unit: 'format' }],
    });
  });

  it('is done by the target in the next run, from the files of the one before; what comes before is kept', async () => {
    const { run, seen, chain, next } = reviewed([40, 60, 90]);
    const second = given(await chain());
    const third = given(await next(second));
    expect(third).toMatchObject({ count: 2, iterations: { code: 3 }, sent: { review: 2 } });
    expect(await next(third)).toEqual({ choice: 'none' });
    const round = ['code#1', 'format#1', 'review#1'];
    expect(run.starts).toEqual(['plan#1', ...round, ...round, ...round]);
    expect(seen[1]).toMatchObject({
      src: 'user code1 formatted',
      notes: 'by format',
      request: { rework: { iteration: 2, from: [{ gate: 'review', verdict: { score: 40 }, output: { score: 40 } }] } },
    });
    expect(seen[2]).toMatchObject({ request: { rework: { iteration: 3, from: [{ output: { score: 60 } }] } } });
    const ended = (await records(run)).filter((one): one is EndedRecord => one.kind === 'ended' && one.gate === 'code');
    expect(ended.map(({ files }) => files.map(({ path }) => path))).toEqual([['src'], ['src'], ['src']]);
    expect(ended.at(-1)!.rework).toMatchObject({ iteration: 3, base: ended[0]!.fingerprint, causes: ['review'] });
  });

  it('ends when the target has run as often as it may, by the counts of the event: records have no part in that', async () => {
    const { chain, next } = reviewed([10, 20, 30]);
    const second = given(await chain());
    const third = given(await next(second));
    expect(await next(third)).toEqual({ choice: 'none', why: 'code has run 3 of 3 times' });
    const other = reviewed([10]);
    const high = { ...given(await other.chain()), count: 2, sent: { review: 2 } };
    expect(await report(other.run, PIPELINE, high)).toMatchObject({ choice: 'none' });
  });

  it('is bounded by max-reworks over all loops of the chain', async () => {
    const { chain, next } = reviewed([10, 20], { ...PIPELINE, maxReworks: 1 });
    const second = given(await chain());
    expect(await next(second)).toMatchObject({ choice: 'none', why: expect.stringContaining('max-reworks') });
  });

  it('is not used when a record of the resumed run is not the one that the event names', async () => {
    const { run, chain } = reviewed([40, 90]);
    const second = given(await chain());
    run.runNumber = 2;
    await run.job(PIPELINE, 'plan', { assignment: { rework: second } });
    const forged = {
      ...second,
      over: second.over.map((one) => ({ ...one, digest: `sha256:${'0'.repeat(64)}` as const })),
    };
    const again = run.job(PIPELINE, 'code', { assignment: { rework: forged } });
    await expect(again).rejects.toMatchObject({ code: 'REWORK_UNVERIFIED' });
    expect(run.starts.filter((one) => one === 'code#1')).toHaveLength(1);
  });

  it('is claimed once, whoever reports, and is not reused as such afterwards', async () => {
    const { run, chain } = reviewed([40, 40]);
    const first = await chain();
    const second = await report(run, PIPELINE);
    if (first.choice !== 'send-back' || second.choice !== 'send-back') throw new Error('nothing is sent back');
    expect(await first.claim()).toBe('claimed');
    expect(await second.claim()).toBe('taken');
    run.runAttempt = 2;
    const later = await report(run, PIPELINE);
    expect(later).toMatchObject({ choice: 'send-back', given: first.given });
    expect(later.choice === 'send-back' && (await later.claim())).toBe('taken');
    run.starts.length = 0;
    run.runNumber = 2;
    run.runAttempt = 1;
    for (const gate of ['plan', 'code']) await run.job(PIPELINE, gate);
    expect(run.starts).toEqual(['code#1']);
  });

  it('starts nothing when another gate failed in a way that says nothing about the work', async () => {
    const pipeline = pipelineOf({
      code: { inputs: [] },
      review: { needs: ['code'], inputs: [], onFail: back, ...JUDGED },
      build: { inputs: [] },
    });
    const run = ciRun(({ unit }) =>
      unit === 'build' ? { result: { exitCode: 1 } } : { output: { score: unit === 'review' ? 10 : 100 } },
    );
    for (const { id } of pipeline.gates) await run.job(pipeline, id);
    expect(await report(run, pipeline)).toMatchObject({
      choice: 'none',
      why: expect.stringContaining('build (failed)'),
    });
  });

  it('goes back to the first target when two loops have different ones', async () => {
    const pipeline = pipelineOf({
      plan: { inputs: [] },
      code: { needs: ['plan'], inputs: [] },
      review: { needs: ['code'], inputs: [], onFail: back, ...JUDGED },
      audit: { needs: ['code'], inputs: [], onFail: { goto: 'plan', maxIterations: 2 }, ...JUDGED },
    });
    const run = ciRun(({ unit }) => ({ output: { score: unit === 'plan' || unit === 'code' ? 100 : 10 } }));
    for (const { id } of pipeline.gates) await run.job(pipeline, id);
    expect(given(await report(run, pipeline))).toMatchObject({ target: 'plan', sent: { audit: 1 } });
  });

  it('is reused by a later run as the last iteration, if the gates that sent it back passed in that run', async () => {
    const well = reviewed([40, 90]);
    await well.next(given(await well.chain()));
    well.run.starts.length = 0;
    await well.next();
    expect(well.run.starts).toEqual([]);
    const badly = reviewed([40, 50]);
    const first = await badly.chain();
    if (first.choice === 'send-back') await first.claim();
    await badly.next(given(first));
    badly.run.starts.length = 0;
    await badly.next();
    expect(badly.run.starts).toContain('code#1');
  });
});

describe('an agent that runs between two steps of a job', () => {
  it('hands on its changes of all iterations, though the last step reads neither the event nor other records', async () => {
    const pipeline = pipelineOf({
      plan: { files: ['plan.md'], inputs: [] },
      code: { needs: ['plan'], run: undefined, files: 'changed', inputs: ['src', 'plan.md'] },
      review: { needs: ['code'], onFail: back, inputs: ['src'], ...JUDGED },
    });
    let review = 40;
    const run = ciRun(
      ({ unit, files }) => {
        if (unit === 'plan') files.set('plan.md', 'plan');
        return { output: { score: unit === 'review' ? review : 100 } };
      },
      { src: 'user' },
    );
    const code = async (rework?: GivenRework): Promise<EndedRecord> => {
      const { world, ports, call } = run.open('code');
      run.ports = { ...ports };
      const begun = await run.begin(pipeline, 'code', { assignment: { rework } });
      if (begun.choice !== 'run') throw new Error(`not begun: ${begun.planned.reason}`);
      const files = world.workspace.at(begun.root);
      files.set('src', `${files.get('src')} code`);
      await (await ports.attempts.open(begun.started))!.write('output.json', ['{}']);
      const assignment = { pipeline, subject: 'subject', metadata: {}, input: null };
      const listing = { records: [begun.started], problems: [] };
      const ended = await completeGate(ports, assignment, { token: begun.token }, () => undefined, {
        ...call,
        call: { ...call.call, listing },
      });
      run.ports = {};
      return ended;
    };
    await run.job(pipeline, 'plan');
    expect((await code()).files.map(({ path }) => path)).toEqual(['src']);
    await run.job(pipeline, 'review');
    const second = given(await report(run, pipeline));
    run.runNumber = 2;
    review = 90;
    await run.job(pipeline, 'plan');
    const ended = await code(second);
    expect(ended.files).toMatchObject([{ path: 'src', before: { mode: '100644' } }]);
    expect(ended.rework).toMatchObject({ iteration: 2 });
  });
});
