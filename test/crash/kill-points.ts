import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { StatusJson } from '../../src/report/json/status-json.ts';
import { gateline } from '../cli/in-process.ts';
import { exportsOf, plainEnvironment, statusOf, type CommandResult } from '../support/command-line.ts';
import { BUNDLED } from '../support/programs/places.ts';
import { readIfThere, type ScratchWorkspace } from '../support/scratch-workspace.ts';
import { numbersFrom, SEED, TEST_SIZE } from '../support/test-size.ts';

/** The command line that dies. */
export const DYING =
  BUNDLED === undefined ? join(import.meta.dirname, 'cli-that-dies.ts') : join(BUNDLED, 'cli/that-dies.js');

const RUN = ['run', '--json', '-q'];

/** What a run comes to that nothing disturbs. */
export interface Undisturbed {
  readonly exports: Readonly<Record<string, string | null>>;
  /** Verdict, score and files handed on, by unit. */
  readonly gates: unknown;
  /** Those of the user's folder. */
  readonly files: Readonly<Record<string, string>>;
  /** Starts of agents, in alphabetical order. */
  readonly starts: readonly string[];
}

type Variables = Readonly<Record<string, string>>;

/** Runs to the end in a copy. */
export async function undisturbed(pristine: ScratchWorkspace, env: Variables): Promise<Undisturbed> {
  await using workspace = await pristine.copy();
  return await outcomeOf(workspace, await workspace.gateline(RUN, { env }));
}

async function outcomeOf(workspace: ScratchWorkspace, result: CommandResult): Promise<Undisturbed> {
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
    files,
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
export async function killAfter(workspace: ScratchWorkspace, k: number, env: Variables): Promise<Killed> {
  const operations = workspace.beside(`operations-${k}`);
  const result = await workspace.gateline(RUN, {
    script: DYING,
    env: { ...env, DIE_AFTER: String(k), OPERATIONS: operations },
  });
  const lines = (await readIfThere(operations)).split('\n').filter((line) => line !== '');
  return { workspace, result, operations: lines, done: await workspace.satisfied() };
}

/** A run that nothing disturbed, and what a kill after each of its durable operations would have left. */
export interface Images {
  readonly outcome: Undisturbed;
  readonly count: number;
  /** The workspace as it was after the k-th operation, from 1, with the log of starts until then. */
  open(k: number): Promise<ScratchWorkspace>;
}

/** Runs to the end in this workspace, and keeps an image of it after each durable operation. */
export async function imagesOf(workspace: ScratchWorkspace, env: Variables): Promise<Images> {
  const folder = workspace.beside('images');
  const result = await workspace.gateline(RUN, {
    script: DYING,
    env: { ...env, OPERATIONS: workspace.beside('operations'), IMAGES: folder },
  });
  return {
    outcome: await outcomeOf(workspace, result),
    count: (await readdir(folder)).length,
    open: (k) => workspace.copy(join(folder, String(k))),
  };
}

/** How a run goes on: as a process of its own, or in this one, which takes less time. */
export type Way = 'process' | 'in process';

/**
 * Goes on after a kill, and compares: same exports, same files handed on, the user's folder as it was, no slot in use, and
 * nothing that was done starts again.
 * @returns gates whose agents started in this call
 */
export async function goOn(
  { workspace, done }: Pick<Killed, 'workspace' | 'done'>,
  expected: Undisturbed,
  env: Variables,
  way: Way = 'process',
): Promise<string[]> {
  await workspace.forgetStarts();
  const result = way === 'process' ? await workspace.gateline(RUN, { env }) : await runHere(workspace, env);
  expect(result, result.stderr).toMatchObject({ code: 0, signal: null });
  const status = statusOf(result);
  expect(status).toMatchObject({ status: 'completed', problems: [] });
  expect(exportsOf(status)).toEqual(expected.exports);
  expect(gatesOf(status)).toEqual(expected.gates);
  expect(await workspace.files()).toEqual(expected.files);
  expect(Object.values(await workspace.slots())).not.toContain('busy');
  const started = await workspace.startedGates();
  expect(started.filter((gate) => done.includes(gate))).toEqual([]);
  return started;
}

async function runHere(workspace: ScratchWorkspace, env: Variables): Promise<CommandResult> {
  const environment = plainEnvironment(workspace.variables(env));
  const { code, out, err } = await gateline(workspace.root, RUN, { environment });
  return { code, signal: null, stdout: out, stderr: err };
}

/** Of so many points of a run every 8th, or every so-many-th, from a drawn one; all in a soak. SIGKILL takes every 8th. */
export function killPoints(count: number, every = 8): number[] {
  const all = numbersTo(count);
  if (TEST_SIZE === 'soak') return all;
  const first = Math.floor(numbersFrom(SEED)() * every);
  return all.filter((k) => k % every === first);
}

/** 1, 2, … */
export function numbersTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

/** Works on all items, so many at a time. */
export async function atATime<T>(lanes: number, items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values();
  const lane = async (): Promise<void> => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
