import { execFile } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createFileCheckpointer } from '../../src/langgraph/index.ts';
import { temporaryFolder } from '../contract/temporary-folder.ts';
import { plainEnvironment } from '../support/command-line.ts';
import { bySize, someOf, spread, IS_FULL } from '../support/test-size.ts';
import { END_LOG } from './looping-graph.ts';

const started = promisify(execFile);
const PROGRAM = join(import.meta.dirname, 'graph-that-dies.ts');

interface Ended {
  readonly log: readonly string[];
  readonly operations: number;
}

/** Runs a thread in a process of its own; `undefined` if it was killed. */
async function run(
  folder: string,
  thread: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Ended | undefined> {
  const args = [PROGRAM, join(folder, 'checkpoints'), thread, join(folder, `${thread}.starts`)];
  try {
    return JSON.parse((await started(process.execPath, args, { env: plainEnvironment(env) })).stdout) as Ended;
  } catch (error) {
    if ((error as { signal?: string }).signal === 'SIGKILL') return undefined;
    throw error;
  }
}

async function startsOf(folder: string, thread: string): Promise<string[]> {
  return (await readFile(join(folder, `${thread}.starts`), 'utf8')).trimEnd().split('\n');
}

describe('a graph that is killed', () => {
  it.each(someOf(END_LOG, 4))(
    'at the start of "%s": resumes to the same end, and repeats no super-step',
    async (line) => {
      await using folder = await temporaryFolder();
      expect(await run(folder.path, 'thread', { DIE_AT: line })).toBeUndefined();
      const before = await startsOf(folder.path, 'thread');
      expect((await run(folder.path, 'thread'))?.log).toEqual(END_LOG);
      const starts = await startsOf(folder.path, 'thread');
      const again = starts.filter((one, at) => starts.indexOf(one) !== at);
      // At most the nodes of the super-step in which it was killed.
      const step = line.replace(/left|right/, '');
      expect(again.filter((one) => one.replace(/left|right/, '') !== step)).toEqual([]);
      expect(before.at(-1)).toBe(line);
    },
  );

  it('after any operation of the checkpointer: resumes to the same end', async () => {
    await using folder = await temporaryFolder();
    const whole = await run(folder.path, 'undisturbed');
    expect(whole?.log).toEqual(END_LOG);
    const points = Array.from({ length: whole!.operations }, (_, at) => at + 1);
    expect(points.length).toBeGreaterThan(15);
    // A third of them in `full`, all in a soak.
    const some = spread(points, bySize({ sample: 3, full: Math.ceil(points.length / 3), soak: Infinity }));
    for (const point of some) {
      const thread = `killed-${point}`;
      expect(await run(folder.path, thread, { DIE_AFTER: String(point) }), thread).toBeUndefined();
      expect((await run(folder.path, thread))?.log, thread).toEqual(END_LOG);
    }
  });
});

describe('eight processes on one folder', () => {
  it('each run a thread of their own, and leave nothing behind but checkpoints', async () => {
    await using folder = await temporaryFolder();
    const threads = Array.from({ length: 8 }, (_, at) => `thread-${at}`);
    const ends = await Promise.all(threads.map((thread) => run(folder.path, thread)));
    expect(ends.map((end) => end?.log)).toEqual(threads.map(() => END_LOG));
    const saver = createFileCheckpointer(join(folder.path, 'checkpoints'));
    for (const thread of threads) {
      const steps = await saver.steps(thread);
      expect(steps.filter(({ problem }) => problem !== undefined)).toEqual([]);
      expect(steps).toHaveLength(3 * 3 + 2);
      expect(await readdir(join(folder.path, 'checkpoints', thread, 'tmp'))).toEqual([]);
    }
  });

  it.runIf(IS_FULL)('run one thread: every one gets to an end, and all that is stored is whole', async () => {
    await using folder = await temporaryFolder();
    const ends = await Promise.all(Array.from({ length: 8 }, () => run(folder.path, 'one')));
    for (const end of ends) expect(new Set(end?.log)).toEqual(new Set(END_LOG));
    const steps = await createFileCheckpointer(join(folder.path, 'checkpoints')).steps('one');
    expect(steps.length).toBeGreaterThanOrEqual(3 * 3 + 2);
    expect(steps.filter(({ problem }) => problem !== undefined)).toEqual([]);
  });
});
