import { randomUUID } from 'node:crypto';
import { link, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { findProcessState, identifyProcess } from '../../agent/process-table.ts';
import { GatelineError, isSystemError } from '../../errors.ts';
import { processSchema, type ProcessId } from '../../run/entry.ts';
import { readFileIfPresent, ignoring, withSystemErrors, type StateFolder } from './state-folder.ts';

/** How long to wait for a short lock, which others hold for milliseconds. */
const SHORT_WAIT_MS = 30_000;
/** An older lock file without content is stale: a killed process leaves one where there are no hard links. */
const UNFINISHED_MS = 10_000;

const holderSchema = z.object({ ...processSchema.shape, host: z.string(), since: z.string() });

/** The engine's lock of a folder, until it is disposed of. */
export type Lock = AsyncDisposable;

/**
 * Takes the lock of the folder's one engine. The lock of a process that is gone is taken over.
 * @throws GatelineError `busy` with the pid of the holder, and since when
 */
export function takeLock(folder: StateFolder): Promise<Lock> {
  return take(folder, 'lock', 0);
}

/** Whether an engine works in a folder. */
export async function isLocked(folder: StateFolder): Promise<boolean> {
  const path = folder.pathOf('lock');
  const text = (await readFileIfPresent(path))?.toString();
  return text !== undefined && !(await isStale(path, text));
}

/** Runs `work` under a lock that is only held for milliseconds. @throws GatelineError `busy` after 30 s */
export async function withShortLock<T>(folder: StateFolder, name: string, work: () => Promise<T>): Promise<T> {
  await using _lock = await take(folder, name, SHORT_WAIT_MS);
  return await work();
}

let self: Promise<ProcessId> | undefined;

async function take(folder: StateFolder, name: string, waitMs: number): Promise<Lock> {
  const path = folder.pathOf(name);
  const deadline = performance.now() + waitMs;
  const identity = await (self ??= identifyProcess(process.pid));
  const content = JSON.stringify({ ...identity, host: hostname(), since: new Date().toISOString() });
  for (let pause = 2; ; pause = Math.min(pause * 2, 50)) {
    folder.announce('write', path);
    if (await createLock(folder, path, content)) return { [Symbol.asyncDispose]: () => release(path, content) };
    const text = (await readFileIfPresent(path))?.toString();
    if (text === undefined) continue;
    if (await isStale(path, text)) await removeStale(path, text);
    else if (performance.now() >= deadline) throw busyError(path, text);
    await sleep(pause);
  }
}

/**
 * Creates a lock file atomically with its content, if the file system has hard links: a kill then never leaves an empty
 * one. @returns false if somebody has the lock
 */
function createLock(folder: StateFolder, path: string, content: string): Promise<boolean> {
  const temporary = folder.pathOf('tmp', randomUUID());
  return withSystemErrors(path, async () => {
    await mkdir(dirname(temporary), { recursive: true });
    await writeFile(temporary, content);
    const isCreated = await link(temporary, path).then(
      () => true,
      (error: unknown) => (isSystemError(error, 'EEXIST') ? false : undefined),
    );
    await rm(temporary, { force: true });
    return isCreated ?? createFile(path, content);
  });
}

async function createFile(path: string, content: string): Promise<boolean> {
  const write = () => writeFile(path, content, { flag: 'wx' }).then(() => true);
  return withSystemErrors(path, async () => (await write().catch(ignoring('EEXIST'))) ?? false);
}

/** Removes our lock; not the lock of another engine, if somebody removed ours by hand. */
async function release(path: string, content: string): Promise<void> {
  if ((await readFileIfPresent(path))?.toString() === content) await rm(path, { force: true });
}

function parseHolder(text: string): z.infer<typeof holderSchema> | undefined {
  try {
    return holderSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Whether the holder is certainly gone: a process of another machine or container may be alive. */
async function isStale(path: string, text: string): Promise<boolean> {
  const holder = parseHolder(text);
  if (holder === undefined) {
    const { mtimeMs = Infinity } = (await stat(path).catch(ignoring('ENOENT'))) ?? {};
    return mtimeMs < Date.now() - UNFINISHED_MS;
  }
  const state = await findProcessState(holder);
  return state === 'gone' || (state === 'other-boot' && holder.host === hostname());
}

/** Only one process at a time removes a stale lock: a second one would remove the new lock of the first. */
async function removeStale(path: string, text: string): Promise<void> {
  const takeover = `${path}.takeover`;
  if (await createFile(takeover, '')) {
    try {
      if ((await readFileIfPresent(path))?.toString() === text) await rm(path, { force: true });
    } finally {
      await rm(takeover, { force: true });
    }
  } else if (await isStale(takeover, '')) await rm(takeover, { force: true });
}

function busyError(path: string, text: string): GatelineError {
  const holder = parseHolder(text);
  const who = holder ? `process ${holder.pid} on ${holder.host}, since ${holder.since}` : 'an unknown process';
  return new GatelineError('busy', `another Gateline works in this folder: ${who}`, {
    hint: `Wait until it is done, or end it. If no such process exists on any machine, remove ${path}.`,
    place: { file: path },
  });
}
