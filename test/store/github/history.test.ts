import { afterEach, describe, expect, it } from 'vitest';
import type { HistoryEntry } from '../../../src/history/history-entry.ts';
import { mergeHistory, readHistory, saveHistory } from '../../../src/store/github/history.ts';
import type { WorkflowRun } from '../../support/github/model.ts';
import { useGithub, type Step } from './world.ts';

const world = useGithub();
afterEach(() => world.github.faults.splice(0));

const TIMES = { started: '2026-01-01T00:00:00.000Z', ended: '2026-01-01T00:01:00.000Z', ms: 1_000 };
const entryOf = (run: number, status: HistoryEntry['status'] = 'completed'): HistoryEntry => {
  return { v: 1, pipeline: 'ci', subject: 'main', run, status, ...TIMES, units: [] };
};
const LIMITS = { tryMs: 2_000, waitMs: 5_000 };

/** The runs that a report on main shows. */
async function runsShown(pipeline: string, step?: Step): Promise<number[]> {
  const reader = step ?? (await world.enter({ job: 'report' }, LIMITS));
  const entries = await readHistory(reader, ['main'], pipeline);
  return entries.map(({ run }) => run);
}

async function save(pipeline: string, runs: readonly number[], run: Partial<WorkflowRun> = {}): Promise<Step> {
  const step = await world.enter({ job: 'report', run }, LIMITS);
  await saveHistory(
    step,
    pipeline,
    runs.map((run) => entryOf(run)),
  );
  world.github.advance(1_000);
  return step;
}

describe('the history of a pipeline', () => {
  it('is that of the newest run of the branch, at most 100 entries', async () => {
    expect(await runsShown('first')).toEqual([]);
    await save('first', [1]);
    await save('first', [2, 1]);
    await save('other', [9]);
    await save('first', [3, 2, 1], { headBranch: 'fix' });
    expect(await runsShown('first')).toEqual([2, 1]);
    await save(
      'first',
      Array.from({ length: 120 }, (_, index) => 500 - index),
    );
    expect(await runsShown('first')).toHaveLength(100);
  });

  it('is not read from forks, whatever their branch is called, nor from expired artifacts', async () => {
    await save('second', [1]);
    await save('second', [666], { headRepository: 'mallory/gates' });
    await save('second', [667], { headRepository: undefined });
    expect(await runsShown('second')).toEqual([1]);
    world.github.advance(100 * 24 * 60 * 60 * 1_000);
    expect(await runsShown('second')).toEqual([]);
  });

  it('is replaced when a run is run again', async () => {
    const first = await save('third', [1]);
    const again = await world.enter({ runId: first.runId, runAttempt: 2, job: 'report' }, LIMITS);
    await saveHistory(again, 'third', [entryOf(2)]);
    expect(again.lines).toEqual([]);
    expect(await runsShown('third')).toEqual([2]);
  });

  it('fails no report: broken, unreachable, not permitted', async () => {
    const step = await save('fourth', [1]);
    world.plant(
      step.runId,
      'gateline-history.fourth.json',
      Buffer.from('{"format":"gateline-history/1","entries":[{}]}'),
    );
    const denied = await world.enter({ job: 'report', permissions: {} }, LIMITS);
    expect(await runsShown('fourth', denied)).toEqual([]);
    expect(denied.lines.at(-1)).toMatch(/^The history of earlier runs is not shown: .*Resource not accessible/);
    const reader = await world.enter({ job: 'report' }, LIMITS);
    expect(await runsShown('fourth', reader)).toEqual([]);
    expect(reader.lines).toEqual([expect.stringMatching(/^The history of earlier runs is not shown: /)]);
    world.github.fail({ route: 'CreateArtifact', times: Infinity, fault: { kind: 'drop' } });
    await saveHistory(reader, 'fourth', []);
    expect(reader.lines.at(-1)).toMatch(/^Later runs do not show this one in their history: /);
  });
});

it('The newest entry of a run counts, and the newest runs stay', () => {
  const merged = mergeHistory(
    [entryOf(3), entryOf(2, 'error')],
    [entryOf(2), entryOf(1), { ...entryOf(3), subject: 'x' }],
  );
  expect(merged.map(({ run, status, subject }) => `${run} ${status} ${subject}`)).toEqual([
    '3 completed main',
    '2 error main',
    '1 completed main',
    '3 completed x',
  ]);
  expect(
    mergeHistory(
      Array.from({ length: 150 }, (_, index) => entryOf(index)),
      [],
    ),
  ).toHaveLength(100);
});
