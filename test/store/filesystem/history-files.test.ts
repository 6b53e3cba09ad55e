import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { GATES_FORMAT, HISTORY_FORMAT, type RunHistory } from '../../../src/history/entry.ts';
import { readGates } from '../../../src/history/read.ts';
import { HistoryFiles } from '../../../src/store/filesystem/history/history-files.ts';

function history(run: number): RunHistory {
  const started = '2026-11-05T00:00:00.000Z';
  const identity = { pipeline: 'p', subject: 's', run, attempt: 1, started };
  const counts = { gates: 1, passed: 1, failed: 0, skipped: 0, reused: 0 };
  return {
    entry: { format: HISTORY_FORMAT, ...identity, status: 'completed', ended: started, ms: 1, ...counts },
    gates: { format: GATES_FORMAT, ...identity, gates: [], left: 0 },
  };
}

it('loses no entry that one command writes while others make the history again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gateline-'));
  try {
    // As several processes: decisions of people do not take the lock that a run has.
    const open = (): HistoryFiles => new HistoryFiles({ root: join(folder, '.state'), workspace: folder });
    const runs = Array.from({ length: 12 }, (_, index) => index + 1);
    const old = history(100);
    await open().end({ pipeline: 'p', subject: 's', run: 100, facts: {} }, old);
    await Promise.all(
      runs.flatMap((run) => [
        open().end({ pipeline: 'p', subject: 's', run, facts: {} }, history(run)),
        ...(run % 3 === 0 ? [open().rewrite([old]), open().forget(({ run: one }) => one === 101)] : []),
      ]),
    );
    const numbers = (all: readonly { run: number }[]): number[] => all.map(({ run }) => run).toSorted((a, b) => a - b);
    expect(numbers(await open().all())).toEqual([...runs, 100]);
    expect(numbers([...readGates(open().gates(), { lines: 0 })])).toEqual([...runs, 100]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
