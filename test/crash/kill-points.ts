import { join } from 'node:path';
import { expect } from 'vitest';
import type { StatusJson } from '../../src/report/status-json.ts';
import { exportsOf, statusOf, type CommandResult } from '../support/command-line.ts';
import { readIfThere, type ScratchWorkspace } from '../support/scratch-workspace.ts';

/** The command line that dies. */
export const DYING = join(import.meta.dirname, 'cli-that-dies.ts');

/** What a run comes to that nothing disturbs. */
export interface Undisturbed {
  readonly exports: Readonly<Record<string, string | null>>;
  /** Verdict, score and files handed on, by unit. */
  readonly gates: unknown;
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
  const status = statusOf(result);
  return {
    exports: exportsOf(status),
    gates: gatesOf(status),
    files: await workspace.files(),
    starts: await workspace.startedGates(),
  };
}

function gatesOf(status: StatusJson): unknown {
  return status.gates.map(({ key, done, verdict, files }) => ({
    key,
    done,
    score: verdict?.score,
    files: files.map(({ path }) => path),
  }));
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
 * Goes on after a kill, and compares: same exports, same files on disk and handed on, and nothing that was done starts again.
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
  expect(gatesOf(status)).toEqual(expected.gates);
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
