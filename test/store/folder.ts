import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Entry } from '../../src/run/entry.ts';
import { openStateFolder, type CrashPoint, type StateFolder } from '../../src/store/files/state-folder.ts';

/** A workspace in a temporary folder, with its `.state`; gone at the end of the block. */
export interface TestFolder extends AsyncDisposable {
  readonly workspace: string;
  readonly state: StateFolder;
  /** The same folder as another process has it. */
  readonly reopen: (crashPoint?: CrashPoint) => Promise<StateFolder>;
}

export async function testFolder(): Promise<TestFolder> {
  const workspace = await realpath(await mkdtemp(join(tmpdir(), 'gateline-store-')));
  const reopen = (crashPoint?: CrashPoint) => openStateFolder(join(workspace, '.state'), crashPoint);
  const remove = () => rm(workspace, { recursive: true, force: true });
  return { workspace, state: await reopen(), reopen, [Symbol.asyncDispose]: remove };
}

/** A short entry that tells by its reason which one it is. */
export function entryOf(reason: string | number): Entry {
  const head = { v: 1, pipeline: 'p', subject: 's', run: 1, at: '2026-01-01T00:00:00.000Z' } as const;
  return { kind: 'decided', ...head, decision: 'pause', actor: 'a', reason: String(reason) };
}

export function reasonsOf(entries: readonly Entry[]): string[] {
  return entries.map((entry) => (entry.kind === 'decided' ? entry.reason : entry.kind));
}

/** Runs `work` once for each durable step that it takes, and dies before that step; then `check` sees what is left. */
export async function dieAtEachStep(
  work: (state: StateFolder) => Promise<unknown>,
  check: (folder: TestFolder, step: string) => Promise<void>,
): Promise<string[]> {
  const steps: string[] = [];
  for (let survived = 0; ; survived += 1) {
    await using folder = await testFolder();
    let count = 0;
    const state = await folder.reopen((step) => {
      if (count === survived) steps.push(step.replace(/[0-9a-f]{8}[0-9a-f-]{28,}/, '…'));
      if (count++ >= survived) throw new Error('killed');
    });
    const error: unknown = await work(state).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (count <= survived) return steps;
    if (!String(error).includes('killed')) throw error;
    await check(folder, steps.at(-1) ?? '');
  }
}
