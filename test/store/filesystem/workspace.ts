import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir, rm, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hexOf, type Digest } from '../../../src/json/digest.ts';
import { recordName, type GatelineRecord } from '../../../src/run/records/record.ts';
import { subjectSlug } from '../../../src/run/records/subject.ts';
import { openFilesystemStore, type StateFolderOptions } from '../../../src/store/filesystem/filesystem-store.ts';
import { temporaryFolder } from '../../contract/temporary-folder.ts';

/** A workspace of its own with a `.state` folder, gone after the test. */
export interface TestWorkspace extends AsyncDisposable {
  readonly workspace: string;
  readonly root: string;
  open(options?: Partial<StateFolderOptions>): ReturnType<typeof openFilesystemStore>;
  /** Where docs/reference/state-files.md says that a record is. */
  fileOf(record: GatelineRecord): string;
  fileOfContent(digest: Digest): string;
}

export async function makeWorkspace(): Promise<TestWorkspace> {
  const folder = await temporaryFolder();
  const workspace = folder.path;
  const root = join(workspace, '.state');
  return {
    workspace,
    root,
    open: (options = {}) => openFilesystemStore({ root, workspace, ...options }),
    fileOf: (record) =>
      join(
        root,
        'runs',
        subjectSlug(record.subject, 16),
        String(record.runNumber),
        `${record.pipeline}.${recordName(record)}.json`,
      ),
    fileOfContent: (digest) => join(root, 'content', 'sha256', hexOf(digest).slice(0, 2), hexOf(digest).slice(2)),
    [Symbol.asyncDispose]: async () => {
      await rm(workspace, { recursive: true, force: true });
    },
  };
}

/** Every file below a folder, relative to it, `/`-separated, sorted. */
export async function filesBelow(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  const found: string[] = [];
  for (const name of names)
    if (!(await stat(join(folder, name))).isDirectory()) found.push(relative('.', name).split(sep).join('/'));
  return found.toSorted();
}

/** Starts a script of `fixtures/` as a process of its own. */
export function startFixture(script: string, ...args: string[]): ChildProcess {
  return startCached(undefined, script, ...args);
}

/** As {@link startFixture}, with a folder where Node keeps what it compiled: many starts of one script cost a third. */
export function startCached(cache: string | undefined, script: string, ...args: string[]): ChildProcess {
  const path = fileURLToPath(new URL(`fixtures/${script}`, import.meta.url));
  const env = cache === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: cache };
  return spawn(process.execPath, [path, ...args], { stdio: ['pipe', 'pipe', 'inherit'], env });
}

/** What a process came to. */
export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
}

/** Waits for a process to end and for all of its output. */
export async function exitOf(child: ChildProcess): Promise<Exit> {
  let stdout = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  return { code, signal, stdout };
}
