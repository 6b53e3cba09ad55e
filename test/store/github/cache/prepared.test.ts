import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../contract/temporary-folder.ts';
import { cachePlace, RECORDS, SAVER } from './cache-place.ts';

/** A saving process that writes its id to a file when it starts. */
async function countedSaver(folder: string) {
  const starts = join(folder, 'starts');
  const program = join(folder, 'saver.mjs');
  const lines = [
    `import { appendFileSync } from 'node:fs';`,
    `appendFileSync(${JSON.stringify(starts)}, process.pid + '\\n');`,
    `await import(${JSON.stringify(SAVER)});`,
  ];
  await writeFile(starts, '');
  await writeFile(program, lines.join('\n'));
  const pids = async () => (await readFile(starts, 'utf8')).split('\n').filter(Boolean).map(Number);
  return { saver: [process.execPath, program] as const, pids, started: () => expect.poll(pids).toHaveLength(1) };
}

const ended = (pid: number) => expect.poll(() => isRunning(pid), { timeout: 20_000 }).toBe(false);

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('a process that was prepared to save', () => {
  it('saves the checkpoint, and no other is started', async () => {
    await using at = await cachePlace();
    await using folder = await temporaryFolder();
    const { saver, pids } = await countedSaver(folder.path);
    const cache = await at.job({}, { saver });
    cache.prepare();
    cache.prepare();
    expect(await cache.save()).toEqual([]);
    expect(await pids()).toHaveLength(1);
    expect(await (await at.job()).look()).toEqual({ records: RECORDS, notices: [] });
  });

  it('is replaced if it was killed', async () => {
    await using at = await cachePlace();
    await using folder = await temporaryFolder();
    const { saver, pids, started } = await countedSaver(folder.path);
    const cache = await at.job({}, { saver });
    cache.prepare();
    await started();
    process.kill((await pids())[0]!, 'SIGKILL');
    await ended((await pids())[0]!);
    expect(await cache.save()).toEqual([]);
    expect(await pids()).toHaveLength(2);
    expect((await (await at.job()).look()).records).toEqual(RECORDS);
  });

  it('ends when it is not needed', async () => {
    await using at = await cachePlace();
    await using folder = await temporaryFolder();
    const { saver, pids, started } = await countedSaver(folder.path);
    const cache = await at.job({}, { saver });
    cache.prepare();
    await started();
    await cache.close();
    await ended((await pids())[0]!);
    expect(at.service.calls).toEqual([]);
  });

  it('is not started where nothing may be saved', async () => {
    await using at = await cachePlace();
    await using folder = await temporaryFolder();
    const { saver, pids } = await countedSaver(folder.path);
    for (const without of [{ enabled: false }, { mayWrite: false }])
      (await at.job({}, { saver, ...without })).prepare();
    await setTimeout(1_000);
    expect(await pids()).toEqual([]);
  });
});
