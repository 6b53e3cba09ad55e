import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { readFile, readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { takeLock } from '../../../src/store/filesystem/lock/engine-lock.ts';
import { someone, startedRecord } from '../../contract/samples.ts';
import { temporaryFolder } from '../../contract/temporary-folder.ts';
import { exitOf, makeWorkspace, startCached, startFixture } from './workspace.ts';
import { bySize, IS_FULL } from '../../support/test-size.ts';

const MEBIBYTE = 1_024 * 1_024;

describe('many processes on one state folder', () => {
  const writersAtOnce = bySize({ sample: 8, full: 64 });
  it(`${writersAtOnce} processes write 100 records each to one subject: all are read back, none lost`, async () => {
    await using made = await makeWorkspace();
    await using cache = await temporaryFolder();
    await exitOf(startCached(cache.path, 'write-many.ts', made.workspace, 'gate_0', '0', '0'));
    const writers = Array.from({ length: writersAtOnce }, (_, index) =>
      startCached(cache.path, 'write-many.ts', made.workspace, `gate_${index}`, '0', '100'),
    );
    const exits = await Promise.all(writers.map(exitOf));
    expect(exits.filter((exit) => exit.code !== 0)).toEqual([]);
    const { records, problems } = await (await made.open()).list('ship', 'pr-42');
    expect(problems).toEqual([]);
    expect(records).toHaveLength(writersAtOnce * 100);
    expect(new Set(records.map((record) => `${record.gate} ${record.n}`)).size).toBe(writersAtOnce * 100);
    expect(await readdir(join(made.root, 'tmp'))).toEqual([]);
  });

  it('8 processes want the same 50 names: each is had once, and the losers know', async () => {
    await using made = await makeWorkspace();
    const writers = Array.from({ length: 8 }, () => startFixture('write-many.ts', made.workspace, 'design', '0', '50'));
    const exits = await Promise.all(writers.map(exitOf));
    const answers = exits.flatMap((exit) => exit.stdout.trim().split('\n'));
    const won = answers.filter((answer) => answer.startsWith('written '));
    expect(answers).toHaveLength(400);
    expect(won.toSorted()).toEqual(Array.from({ length: 50 }, (_, n) => `written ${n}`).toSorted());
    expect((await (await made.open()).list('ship', 'pr-42')).records).toHaveLength(50);
  });

  it('processes that are killed while they write leave whole records only, and all that they said were written', async () => {
    await using made = await makeWorkspace();
    const store = await made.open();
    const acknowledged = await Promise.all(
      Array.from({ length: 8 }, (_, index) => killWhileWriting(made.workspace, `gate_${index}`, 5 + index * 3)),
    );
    const { records, problems } = await store.list('ship', 'pr-42');
    expect(problems).toEqual([]);
    for (const [index, count] of acknowledged.entries()) {
      const numbers = records
        .filter((record) => record.gate === `gate_${index}`)
        .map((record) => record.n)
        .toSorted((a, b) => a - b);
      expect(numbers).toEqual(numbers.map((_, at) => at));
      expect(numbers.length).toBeGreaterThanOrEqual(count);
      // Goes on where it was killed: what it had in hand is either written or free.
      expect(await store.write(startedRecord({ gate: `gate_${index}`, n: numbers.length }))).toBe('written');
    }
  });

  it('temporary files that killed processes left are swept when the lock is next taken, younger ones are not', async () => {
    await using made = await makeWorkspace();
    await made.open();
    for (const name of ['old.tmp', 'young.tmp']) await writeFile(join(made.root, 'tmp', name), 'half');
    const longAgo = new Date(Date.now() - 2 * 60 * 60 * 1_000);
    await utimes(join(made.root, 'tmp', 'old.tmp'), longAgo, longAgo);
    await using lock = await takeLock(made.root, someone, () => false);
    expect(lock.generation).toBe(1);
    expect(await readdir(join(made.root, 'tmp'))).toEqual(['young.tmp']);
  });

  it.runIf(IS_FULL)('a content of 100 MB is put, checked and copied without being held in memory', async () => {
    await using made = await makeWorkspace();
    const exit = await exitOf(startFixture('big-content.ts', made.workspace, '100'));
    expect(exit.code).toBe(0);
    const said = JSON.parse(exit.stdout) as Record<string, unknown> & {
      kept: { digest: string; bytes: number };
      grownBy: number;
    };
    const copy = await readFile(join(made.workspace, 'copy'));
    expect(said.kept).toEqual({
      digest: `sha256:${createHash('sha256').update(copy).digest('hex')}`,
      bytes: 100 * MEBIBYTE,
    });
    expect(said).toMatchObject({
      again: said.kept,
      checked: { state: 'present', value: said.kept },
      copied: { state: 'present', value: said.kept },
    });
    expect((await stat(join(made.workspace, 'copy'))).size).toBe(100 * MEBIBYTE);
    expect(said.grownBy).toBeLessThan(64 * MEBIBYTE);
  });
});

/** @returns how many records the process had said were written when it was killed */
async function killWhileWriting(workspace: string, gate: string, enough: number): Promise<number> {
  const writer = startFixture('write-many.ts', workspace, gate, '0', '1000000');
  const closed = once(writer, 'close');
  let count = 0;
  for await (const line of createInterface({ input: writer.stdout! })) {
    expect(line).toBe(`written ${count}`);
    count++;
    if (count === enough) writer.kill('SIGKILL');
  }
  await closed;
  expect(writer.signalCode).toBe('SIGKILL');
  return count;
}
