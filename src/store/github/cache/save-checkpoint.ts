import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hexOf, type Digest } from '../../../json/digest.ts';
import { CACHE_VARIABLES, GITHUB_VARIABLES, WITHHELD_FROM_AGENTS, type Environment } from '../../../environment.ts';
import type { RecordStore } from '../../record-store.ts';
import { referencesIn, writeDocument, type CheckpointRecords } from './checkpoint-document.ts';
import { ARCHIVE_FOLDER, DOCUMENT_NAME, ENTRY_PATH } from './entry-name.ts';
import type { CacheLimits } from '../../../github/limits.ts';
import { startSaver, type Saver, type SaverResult } from './start-saver.ts';
import { inMebibytes, Unusable } from './unusable.ts';
import { showUnseen } from '../../../json/visible.ts';

/** How the process that saves is started. */
export interface SaverOptions {
  readonly temp: string;
  readonly saver: readonly [string, ...string[]];
  readonly environment: Environment;
  readonly access: {
    readonly resultsUrl: string;
    readonly runtimeToken: string;
    readonly serverUrl: string | undefined;
    readonly cacheMode: string | undefined;
  };
}

/** Parameters for saving an entry. */
export interface SaveCall extends SaverOptions {
  readonly key: string;
  readonly records: CheckpointRecords;
  readonly spool: Pick<RecordStore, 'copyTo'>;
  readonly limits: CacheLimits;
  /** A process that was started for this; otherwise one is. */
  readonly prepared: Saver | undefined;
}

/** Bytes that tar adds to a file: its header, an extra header for the times, and padding to full blocks. */
const TAR_OVERHEAD = 4 * 512;

/**
 * Variables that Node itself reads, and those that a runner sets for more log output: our programs need none of them.
 */
const NOT_HANDED_ON = new Set<string>(['NODE_OPTIONS', 'NODE_CHANNEL_FD', CACHE_VARIABLES.debug]);

/**
 * Puts the entry's files into a temporary folder, saves them, and removes the folder.
 * @returns why it was not saved, as the end of a sentence; undefined if it was
 * @throws Unusable if this job cannot save it; GatelineError and system errors if a disk fails
 */
export async function saveCheckpoint(call: SaveCall): Promise<string | undefined> {
  const contents = new Map(referencesIn(call.records).map(({ digest, bytes = 0 }) => [digest, bytes]));
  const document = writeDocument(call.records);
  refuseLarge(contents, document, call.limits);
  const folder = await mkdtemp(join(call.temp, 'gateline-cache-'));
  try {
    const cwd = join(folder, ARCHIVE_FOLDER);
    const entry = join(cwd, ENTRY_PATH);
    await mkdir(entry, { recursive: true });
    await writeFile(join(entry, DOCUMENT_NAME), document);
    let bytes = document.length;
    for (const digest of contents.keys()) bytes += await lay(call.spool, digest, join(entry, hexOf(digest)));
    refuseBytes(bytes + TAR_OVERHEAD * (contents.size + 2), call.limits);
    const { key, limits, prepared } = call;
    const saver = prepared?.isRunning() === true ? prepared : prepareSaver(call);
    return reasonNotSaved(await saver.save({ key, folder: cwd, temp: folder }, limits.keepMs));
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Starts the process that saves, before there is an entry. It takes longer to load than a small entry to save. */
export function prepareSaver({ saver: command, temp, environment, access }: SaverOptions): Saver {
  return startSaver({ command, cwd: temp, env: saverEnvironment(environment, access) });
}

/** The sizes in the records are enough to refuse before anything is copied. */
function refuseLarge(contents: ReadonlyMap<Digest, number>, document: string, limits: CacheLimits): void {
  if (contents.size > limits.maxContents)
    throw new Unusable(`it has ${contents.size} contents, more than ${limits.maxContents}`);
  refuseBytes(
    [...contents.values()].reduce((sum, bytes) => sum + bytes, document.length),
    limits,
  );
}

function refuseBytes(bytes: number, { maxBytes }: CacheLimits): void {
  if (bytes > maxBytes) throw new Unusable(`it has ${inMebibytes(bytes)}, more than ${inMebibytes(maxBytes)}`);
}

async function lay(spool: Pick<RecordStore, 'copyTo'>, digest: Digest, path: string): Promise<number> {
  const read = await spool.copyTo(digest, path, 0o600);
  if (read.state === 'present') return read.value.bytes;
  throw new Unusable(`a content of it is ${read.state === 'absent' ? 'missing' : 'not as it was stored'}`);
}

/**
 * The toolkit resolves {@link ENTRY_PATH} against the working directory, names it in the archive relative to the
 * workspace, and has tar, which starts in a folder below `RUNNER_TEMP`, change to the workspace. With `..` as the
 * workspace, both mean our folder, and no path with spaces gets into tar's command line, which is not quoted.
 */
function saverEnvironment(environment: Environment, access: SaverOptions['access']): Record<string, string> {
  const kept = Object.entries(environment).filter(
    (pair): pair is [string, string] =>
      pair[1] !== undefined && !WITHHELD_FROM_AGENTS.test(pair[0]) && !NOT_HANDED_ON.has(pair[0]),
  );
  return {
    ...Object.fromEntries(kept),
    [CACHE_VARIABLES.resultsUrl]: access.resultsUrl,
    [CACHE_VARIABLES.runtimeToken]: access.runtimeToken,
    [CACHE_VARIABLES.mode]: access.cacheMode ?? '',
    [CACHE_VARIABLES.service2]: 'true',
    [GITHUB_VARIABLES.serverUrl]: access.serverUrl ?? '',
    [GITHUB_VARIABLES.workspace]: '..',
    // Otherwise the tar of macOS adds a metadata file for each file.
    [CACHE_VARIABLES.copyfile]: '1',
  };
}

const MAX_DETAIL = 200;

/**
 * Why an entry was not saved: the end of a sentence, or undefined if nothing needs to be reported. The toolkit returns
 * -1 for every error and writes the reason only to its log.
 */
function reasonNotSaved({ message, timedOut, log }: SaverResult): string | undefined {
  if (message !== undefined && 'saved' in message && message.saved > 0) return undefined;
  if (/cache write denied:/.test(log)) return 'this run may only read the cache';
  // Another job of this run attempt saved the same checkpoint, or is about to.
  if (/Failed to reserve cache:[^\n]*\(409\)/.test(log)) return undefined;
  if (/Unable to locate executable file: \S*tar/.test(detailIn(message, log))) return 'there is no tar on the PATH';
  const status = log
    .match(/Failed request: \((\d{3})\)/g)
    ?.at(-1)
    ?.slice(-4, -1);
  if (status !== undefined) return `the service answered with status ${status}`;
  if (timedOut) return 'it took too long';
  if (message === undefined) return 'the saving process ended without an answer';
  return `the cache client reported: ${detailIn(message, log)}`;
}

/** The last error message, safe to show, without addresses, which may be signed. */
function detailIn(message: SaverResult['message'], log: string): string {
  const told = message !== undefined && 'failed' in message ? message.failed : undefined;
  const complaint = told ?? log.match(/(?:Failed to save: |::(?:warning|error)::)[^\n]*/g)?.at(-1) ?? 'nothing';
  const text = complaint.replace(/^::\w+::/, '').replaceAll(/https?:\/\/\S*/g, '(address)');
  return showUnseen(text).replaceAll(/\s+/g, ' ').trim().slice(0, MAX_DETAIL);
}
