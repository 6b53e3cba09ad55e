import { expect } from 'vitest';
import { exportsOf, statusOf, type CommandResult } from '../support/command-line.ts';
import { ScratchWorkspace, readIfThere } from '../support/scratch-workspace.ts';

/** The command line that dies. */
export const DYING = new URL('cli-that-dies.ts', import.meta.url).pathname;

/** What a run comes to that nothing disturbs. */
export interface Undisturbed {
  readonly exports: Readonly<Record<string, string | null>>;
  readonly files: Readonly<Record<string, string>>;
  /** Starts of agents, in alphabetical order. */
  readonly starts: readonly string[];
}

/** Runs to the end in a copy. */
export async function undisturbed(
  pristine: ScratchWorkspace,
  env: Readonly<Record<string, string>>,
): Promise<Undisturbed> {
  await using workspace = await pristine.copy();
  const result = await workspace.gateline(['run', '--json', '-q'], { env });
  expect(result, result.stderr).toMatchObject({ code: 0, signal: null });
  return {
    exports: exportsOf(statusOf(result)),
    files: await workspace.files(),
    starts: await workspace.startedGates(),
  };
}

/** What one kill left, seen before anything goes on. */
export interface Killed {
  readonly workspace: ScratchWorkspace;
  readonly result: CommandResult;
  /** What the command did that is durable. */
  readonly operations: readonly string[];
  /** Units that were done. */
  readonly done: readonly string[];
}

/** Runs in this workspace until the k-th durable operation, and no further. `Infinity`: to the end. */
export async function killAfter(
  workspace: ScratchWorkspace,
  k: number,
  env: Readonly<Record<string, string>>,
): Promise<Killed> {
  const operations = workspace.beside(`operations-${k}`);
  const result = await workspace.gateline(['run', '--json', '-q'], {
    script: DYING,
    env: { ...env, DIE_AFTER: String(k), OPERATIONS: operations },
  });
  const lines = (await readIfThere(operations)).split('\n').filter((line) => line !== '');
  return { workspace, result, operations: lines, done: await workspace.satisfied() };
}

/**
 * Goes on after a kill, and compares: same exports, same files, and nothing that was done starts again.
 * @returns gates whose agents started in this call
 */
export async function goOn(
  { workspace, done }: Pick<Killed, 'workspace' | 'done'>,
  expected: Undisturbed,
  env: Readonly<Record<string, string>>,
): Promise<string[]> {
  await workspace.forgetStarts();
  const result = await workspace.gateline(['run', '--json', '-q'], { env });
  expect(result, result.stderr).toMatchObject({ code: 0, signal: null });
  const status = statusOf(result);
  expect(status).toMatchObject({ status: 'completed', problems: [] });
  expect(exportsOf(status)).toEqual(expected.exports);
  expect(await workspace.files()).toEqual(expected.files);
  const started = await workspace.startedGates();
  expect(started.filter((gate) => done.includes(gate))).toEqual([]);
  return started;
}

/** Numbers 1, 2, … worked on by `lanes` at a time, until `work` answers false. @returns the first number that did */
export async function upwards(lanes: number, work: (k: number) => Promise<boolean>): Promise<number> {
  let next = 1;
  let first = Infinity;
  const lane = async (): Promise<void> => {
    while (next < first) {
      const k = next++;
      if (!(await work(k))) first = Math.min(first, k);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return first;
}
