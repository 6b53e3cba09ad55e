import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Agent, AgentResult } from '../agent/agent.ts';
import type { DatabaseSnapshots, RunNamed } from '../engine/ports.ts';
import { DATABASE_FILE, WITHHELD_FROM_AGENTS, type Environment } from '../environment.ts';
import { GatelineError } from '../errors/gateline-error.ts';
import { unlessAbsent, writing } from '../errors/store-errors.ts';
import { hexOf, type Digest } from '../json/digest.ts';
import type { DatabaseSettings } from '../pipeline/pipeline.ts';
import type { Content } from '../run/records/record.ts';

/** Options of {@link createDatabaseSnapshots}. */
export interface DatabaseSnapshotsOptions {
  readonly settings: DatabaseSettings;
  /** As `Gate.shell`. */
  readonly shell: string;
  /** Absolute path of the workspace, in which the commands run. */
  readonly workspace: string;
  /**
   * Absolute paths of the folder for snapshots, and of that for attempts, in which commands of killed engines are
   * found.
   */
  readonly folder: string;
  readonly attempts: string;
  readonly agent: Agent;
  /** The caller's. */
  readonly environment: Environment;
  /** Names of variables that any gate declares as secret: none of them is passed on. */
  readonly secrets: readonly string[];
  readonly signal: AbortSignal;
  readonly onDurable: (what: string) => void;
}

const COMMAND_FOLDER = /^database-[0-9a-f-]{36}$/;
const UNFINISHED = /\.tmp$/;
const LOG_LIMIT = 65_536;
/** Characters of a command's output that an error shows. */
const SHOWN = 2_000;

/** Snapshots of a database as files: each run has a folder, with a file for each content. */
export function createDatabaseSnapshots(options: DatabaseSnapshotsOptions): DatabaseSnapshots {
  const folderOf = (run: RunNamed): string => join(options.folder, keyOf(run));
  const pathOf = (run: RunNamed, digest: Digest): string => join(folderOf(run), hexOf(digest));
  return {
    take: async (run, { screen, redact }) => {
      const taken = join(folderOf(run), `${randomUUID()}.tmp`);
      try {
        await dump(options, taken, redact);
        const content = await contentOf(taken, screen);
        await writing(taken, () => rename(taken, pathOf(run, content.digest)));
        options.onDurable(`database ${content.digest}`);
        return content;
      } finally {
        await rm(taken, { force: true });
      }
    },
    has: async (run, content) => {
      const found = await unlessAbsent(contentOf(pathOf(run, content.digest), (chunks) => chunks));
      return found?.digest === content.digest;
    },
    drop: (run, digest) =>
      rm(digest === undefined ? folderOf(run) : pathOf(run, digest), { recursive: true, force: true }),
    restore: async (run, content, { call, redact, begun }) => {
      const place = join(folderOf(run), `restored-${call}`);
      const wanted = join(place, 'wanted');
      await writing(place, () => mkdir(place, { recursive: true, mode: 0o700 }));
      await writing(wanted, () => copyVerified(pathOf(run, content.digest), wanted, content));
      const before = await keepBefore(options, place, redact);
      begun();
      const failed = await started(options, options.settings.restore, wanted, redact);
      if (failed !== undefined) throw restoreFailed(failed, before, pathOf(run, content.digest));
      // What interrupted calls kept is no longer the last state before a change.
      await writing(place, () => writeFile(join(place, 'done'), ''));
      options.onDurable('database restored');
    },
  };
}

/** A subject is any text: it cannot be part of a name. */
function keyOf({ pipeline, subject, runNumber }: RunNamed): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([pipeline, subject]))
    .digest('hex');
  return `${hash.slice(0, 16)}.${runNumber}`;
}

/**
 * Keeps the database as it is before it is overwritten. After an interrupted call it may be unreadable: its copy
 * counts.
 */
async function keepBefore(
  options: DatabaseSnapshotsOptions,
  place: string,
  redact: (text: string) => string,
): Promise<string> {
  const names = await readdir(place);
  const earlier = names.filter((name) => /^before-\d+$/.test(name));
  const before = join(place, `before-${earlier.length + 1}`);
  try {
    await dump(options, `${before}.tmp`, redact);
    await writing(before, () => rename(`${before}.tmp`, before));
    options.onDurable('database kept');
    return before;
  } catch (error) {
    if (earlier.length === 0 || names.includes('done')) throw error;
    return join(place, 'before-1');
  }
}

/** Runs the snapshot command, and flushes what it wrote. @throws GatelineError `DATABASE_FAILED` */
async function dump(options: DatabaseSnapshotsOptions, to: string, redact: (text: string) => string): Promise<void> {
  await writing(to, () => mkdir(dirname(to), { recursive: true, mode: 0o700 }));
  await rm(to, { force: true });
  const failed = await started(options, options.settings.snapshot, to, redact);
  const stats = failed === undefined ? await unlessAbsent(stat(to)) : undefined;
  const why = failed ?? (stats?.isFile() === true ? undefined : `it wrote no file to $${DATABASE_FILE}`);
  if (why !== undefined) throw new GatelineError('DATABASE_FAILED', `the snapshot command of the database: ${why}`);
  await writing(to, async () => {
    await using file = await open(to, 'r+');
    await file.sync();
  });
}

/** @returns why it failed; `undefined`: it did not */
async function started(
  { settings, shell, workspace, attempts, agent, environment, secrets, signal }: DatabaseSnapshotsOptions,
  command: string,
  file: string,
  redact: (text: string) => string,
): Promise<string | undefined> {
  await removeLeft(attempts, COMMAND_FOLDER);
  await removeLeft(dirname(file), UNFINISHED);
  const directory = join(attempts, `database-${randomUUID()}`);
  await writing(directory, () => mkdir(directory, { recursive: true, mode: 0o700 }));
  const inherited = Object.entries(environment).filter(
    (one): one is [string, string] => one[1] !== undefined && isPassedOn(one[0], secrets),
  );
  try {
    const result = await agent.run({
      directory,
      command,
      shell,
      workingDirectory: workspace,
      env: { ...Object.fromEntries(inherited), [DATABASE_FILE]: file },
      timeoutMs: settings.timeoutMinutes * 60_000,
      logLimit: LOG_LIMIT,
      signal,
      redact,
    });
    return whyFailed(result, settings);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Removes what killed calls left. The caller has exclusive use of the workspace. */
async function removeLeft(folder: string, which: RegExp): Promise<void> {
  const names = (await unlessAbsent(readdir(folder))) ?? [];
  for (const name of names) if (which.test(name)) await rm(join(folder, name), { recursive: true, force: true });
}

function isPassedOn(name: string, secrets: readonly string[]): boolean {
  return !secrets.includes(name) && !WITHHELD_FROM_AGENTS.test(name);
}

function whyFailed(
  { outcome, exitCode, signal, message, stdout, stderr }: AgentResult,
  { timeoutMinutes }: DatabaseSettings,
): string | undefined {
  if (outcome === 'exited' && exitCode === 0) return undefined;
  const said = `${stdout}${stderr}`.trim();
  const ending = {
    exited: `it failed with exit code ${exitCode ?? 'unknown'}`,
    signalled: `it was ended by ${signal ?? 'a signal'}`,
    timeout: `it did not end within ${timeoutMinutes} minutes`,
    cancelled: 'it was stopped',
    'not-started': `it could not be started: ${message ?? 'no reason given'}`,
  };
  return said === '' ? ending[outcome] : `${ending[outcome]}. It printed:\n${said.slice(-SHOWN)}`;
}

async function contentOf(
  file: string,
  screen: (chunks: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>,
): Promise<Content> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of screen(createReadStream(file) as AsyncIterable<Uint8Array>)) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { digest: `sha256:${hash.digest('hex')}`, bytes };
}

/** A copy, since the command may change or remove its file. @throws GatelineError `SNAPSHOT_GONE` */
async function copyVerified(from: string, to: string, { digest }: Content): Promise<void> {
  const isThere = (await unlessAbsent(copyFile(from, to).then(() => true))) ?? false;
  const whole = isThere && (await contentOf(to, (chunks) => chunks)).digest === digest;
  if (whole) return;
  const why = isThere ? 'has been altered' : 'is no longer kept';
  throw new GatelineError('SNAPSHOT_GONE', `the snapshot of the database ${digest} ${why}`);
}

function restoreFailed(why: string, before: string, wanted: string): GatelineError {
  const message = `the restore command of the database: ${why}`;
  return new GatelineError('DATABASE_FAILED', message, {
    hint: `Both states are kept: the database before the call in ${before}, the snapshot in ${wanted}. No file was changed. Run the same command again: until it has restored the database, nothing starts in this folder.`,
  });
}
