import { messageOf } from '../../../errors/gateline-error.ts';
import type { Environment } from '../../../environment.ts';
import { systemClock } from '../../../github/clock.ts';
import { DEFAULT_CACHE_LIMITS, type CacheLimits } from '../../../github/limits.ts';
import type { Digest } from '../../../json/digest.ts';
import type { EndedRecord, GatelineRecord, StartedRecord } from '../../../run/records/record.ts';
import type { RecordStore } from '../../record-store.ts';
import { accessFor, type CacheAccess } from './cache-access.ts';
import { download, lookUp, type FoundEntry, type ServiceAccess } from './cache-service.ts';
import { MAX_RECORDS, verifyEntry, type CheckpointRecords, type CheckpointUnit } from './checkpoint-document.ts';
import { canRead } from './decompress.ts';
import { COMPRESSIONS, DOCUMENT_NAME, compareOrigins, entryKey, type EntryOrigin } from './entry-name.ts';
import type { Saver } from './start-saver.ts';
import { Unusable } from './unusable.ts';

/**
 * The checkpoint that was found, and problems: one sentence each, without markup. If both are empty, there is no entry.
 */
export interface CheckpointSearch {
  readonly records: readonly GatelineRecord[];
  readonly notices: readonly string[];
}

/**
 * Checkpoints by fingerprint in GitHub's cache, from any run: an accelerator, never the only copy. It never fails a
 * gate: neither method throws, both end in bounded time, and problems are notices.
 */
export interface CheckpointCache {
  /**
   * The newest checkpoint of this unit with this fingerprint that the job may read: a claim, if known, and its end.
   * Everything is verified before it is used; the contents are then in the spool.
   */
  find(unit: CheckpointUnit, fingerprint: Digest): Promise<CheckpointSearch>;
  /** Starts the process that saves: there will probably be something to {@link CheckpointCache.keep}. */
  prepare(): void;
  /**
   * Keeps a checkpoint for later runs, with every content that its records refer to; the spool must have them.
   * @returns notices. None if it was saved, and none if another job of this run attempt did it first
   */
  keep(started: StartedRecord | undefined, ended: EndedRecord): Promise<readonly string[]>;
  /**
   * Puts records in the place of what this run and earlier ones keep for a fingerprint: the last iteration of work that
   * was sent back, under the fingerprint that it had before; or the decisions that sent it back.
   * @returns notices
   */
  supersede(fingerprint: Digest, records: CheckpointRecords): Promise<readonly string[]>;
  /** Ends a prepared process that nobody needed. */
  close(): Promise<void>;
}

/** Options of the checkpoint cache. */
export interface CheckpointCacheOptions extends CacheAccess, EntryOrigin {
  /** False: no lookup, no save, no notice. Default true. */
  readonly enabled?: boolean;
  /** False: lookups only; instead of saving, a notice without a call. Default true. */
  readonly mayWrite?: boolean;
  /** Source and destination of contents. */
  readonly spool: Pick<RecordStore, 'put' | 'copyTo'>;
  /** Where a temporary folder for saving may be created: `RUNNER_TEMP`. */
  readonly temp: string;
  /**
   * Program and arguments of a process that calls `saveEntry`. The toolkit uses the environment and the working
   * directory of its process and prints errors, so it runs in a separate process.
   */
  readonly saver: readonly [string, ...string[]];
  /** Environment for that process, without the variables that the runner gives only to actions. */
  readonly environment: Environment;
  readonly limits?: Partial<CacheLimits>;
}

/** The cache of a job. Creating it makes no call. */
export function createCheckpointCache(options: CheckpointCacheOptions): CheckpointCache {
  const limits = { ...DEFAULT_CACHE_LIMITS, ...options.limits };
  let prepared: Promise<Saver> | undefined;
  const save = async (
    fingerprint: Digest,
    records: CheckpointRecords,
    revision?: number,
  ): Promise<readonly string[]> => {
    if (options.enabled === false) return [];
    try {
      const taken = prepared;
      prepared = undefined;
      const saver = await taken?.catch(() => undefined);
      const reason = await keep({ ...options, revision }, limits, fingerprint, records, saver);
      return reason === undefined ? [] : [notSaved(reason)];
    } catch (error) {
      return [notSaved(reasonOf(error))];
    }
  };
  return {
    find: async (unit, fingerprint) => {
      const notices: string[] = [];
      if (options.enabled === false) return { records: [], notices };
      try {
        return { records: await find(options, limits, unit, fingerprint, notices), notices };
      } catch (error) {
        return { records: [], notices: [...notices, noCheckpoint(error)] };
      }
    },
    prepare: () => {
      if (options.enabled === false || options.mayWrite === false || prepared !== undefined) return;
      prepared = prepare(options);
      // Without it, a process is started when there is something to save, or the reason is reported then.
      prepared.catch(() => undefined);
    },
    keep: (started, ended) => save(ended.fingerprint, started === undefined ? [ended] : [started, ended]),
    supersede: (fingerprint, records) => save(fingerprint, records, 1),
    close: async () => (await prepared?.catch(() => undefined))?.end(),
  };
}

async function find(
  options: CheckpointCacheOptions,
  limits: CacheLimits,
  unit: CheckpointUnit,
  fingerprint: Digest,
  notices: string[],
): Promise<readonly GatelineRecord[]> {
  const { resultsUrl, runtimeToken } = accessFor('read', options);
  const deadline = systemClock.now() + limits.findMs;
  const service: ServiceAccess = { resultsUrl, runtimeToken, limits, deadline };
  for (const entry of await entriesFor(service, fingerprint, notices)) {
    try {
      return await take(service, entry, unit, fingerprint, options.spool);
    } catch (error) {
      notices.push(noCheckpoint(error));
    }
  }
  return [];
}

/** The service's entries in either compression, newest first. */
async function entriesFor(service: ServiceAccess, fingerprint: Digest, notices: string[]): Promise<FoundEntry[]> {
  const looks = COMPRESSIONS.filter(canRead).map((compression) => lookUp(service, fingerprint, compression));
  const found: FoundEntry[] = [];
  const reasons = new Set<string>();
  for (const look of await Promise.allSettled(looks)) {
    if (look.status === 'rejected') reasons.add(noCheckpoint(look.reason));
    else if (look.value !== undefined) found.push(look.value);
  }
  if (found.length === 0) notices.push(...reasons);
  return found.sort((a, b) => compareOrigins(b.origin, a.origin));
}

/** Downloads an entry and verifies it before storing any byte of it. */
async function take(
  service: ServiceAccess,
  entry: FoundEntry,
  unit: CheckpointUnit,
  fingerprint: Digest,
  spool: Pick<RecordStore, 'put'>,
): Promise<CheckpointRecords> {
  const { readArchive } = await import('./read-archive.ts');
  const files = await readArchive(await download(service, entry), entry.compression, service.limits);
  const records = verifyEntry(files, unit, fingerprint);
  for (const [name, bytes] of files) if (name !== DOCUMENT_NAME) await spool.put(bytes);
  return records;
}

async function keep(
  options: CheckpointCacheOptions,
  limits: CacheLimits,
  fingerprint: Digest,
  records: CheckpointRecords,
  prepared: Saver | undefined,
): Promise<string | undefined> {
  if (records.length > MAX_RECORDS) throw new Unusable(`it has ${records.length} records`);
  if (options.mayWrite === false) throw new Unusable('this run may only read the cache');
  const access = accessFor('write', options);
  const { saveCheckpoint } = await import('./save-checkpoint.ts');
  const { spool, temp, saver, environment } = options;
  const key = entryKey(fingerprint, options);
  return saveCheckpoint({ key, records, spool, temp, saver, environment, access, limits, prepared });
}

async function prepare(options: CheckpointCacheOptions): Promise<Saver> {
  const access = accessFor('write', options);
  const { prepareSaver } = await import('./save-checkpoint.ts');
  return prepareSaver({ ...options, access });
}

function noCheckpoint(error: unknown): string {
  return `The cache gave no checkpoint: ${reasonOf(error)}.`;
}

function notSaved(reason: string): string {
  return `The checkpoint was not saved to the cache: ${reason}.`;
}

/** An unexpected error is reported as is: the gate continues without a cache anyway. */
function reasonOf(error: unknown): string {
  return error instanceof Unusable ? error.message : `something unexpected (${messageOf(error).slice(0, 300)})`;
}
