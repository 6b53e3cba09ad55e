import { fileURLToPath } from 'node:url';
import { digestOf, type Digest } from '../../../../src/json/digest.ts';
import type { EndedRecord, StartedRecord } from '../../../../src/run/records/record.ts';
import {
  createCheckpointCache,
  type CheckpointCache,
  type CheckpointCacheOptions,
} from '../../../../src/store/github/cache/checkpoint-cache.ts';
import { createMemoryMedium, createMemoryStore, type MemoryMedium } from '../../../../src/store/memory/memory-store.ts';
import { endedRecord, startedRecord } from '../../../contract/samples.ts';
import { plainEnvironment } from '../../../support/command-line.ts';
import type { JobEnvironment, JobOptions } from '../../../support/github/job-environment.ts';
import { startResultsService, type ResultsService } from '../../../support/github/results-service.ts';

/** A job's cache, and what it keeps contents in. */
export interface JobCache extends CheckpointCache {
  readonly job: JobEnvironment;
  readonly medium: MemoryMedium;
  /** Keeps a checkpoint whose contents the spool holds. */
  save(checkpoint?: Checkpoint): Promise<readonly string[]>;
  /** What is found for {@link CHECKPOINT}. */
  look(): ReturnType<CheckpointCache['find']>;
}

/** A results service, and jobs that use its cache. */
export interface CachePlace extends AsyncDisposable {
  readonly service: ResultsService;
  job(options?: Partial<JobOptions>, different?: Partial<CheckpointCacheOptions>): Promise<JobCache>;
}

/** Records, and the contents that they refer to. */
export interface Checkpoint {
  readonly started: StartedRecord | undefined;
  readonly ended: EndedRecord;
  readonly contents: readonly Buffer[];
}

/** Sound records of the unit {@link UNIT}, with contents of every sort. */
export function checkpoint(different: Partial<EndedRecord> = {}, text = 'the output'): Checkpoint {
  const request = Buffer.from('request');
  const value = Buffer.from(JSON.stringify({ text }));
  const file = Buffer.from([0, 255, 10, 13, 0, 128]);
  const log = Buffer.from('a line\n');
  const content = (bytes: Buffer) => ({ digest: digestOf(bytes), bytes: bytes.length });
  return {
    started: startedRecord({ request: digestOf(request) }),
    ended: endedRecord({
      value: content(value),
      exports: content(value),
      logs: { stdout: content(log), stderr: content(Buffer.alloc(0)) },
      files: [{ path: 'a b', before: null, after: { blob: 'abc', mode: '100644', content: content(file) } }],
      learnings: content(log),
      ...different,
    }),
    contents: [request, value, file, log, Buffer.alloc(0)],
  };
}

export const CHECKPOINT = checkpoint();
export const { pipeline, subject, gate, leg } = CHECKPOINT.ended;
export const UNIT = { pipeline, subject, gate, leg };
export const FINGERPRINT: Digest = CHECKPOINT.ended.fingerprint;

/** The records as they are found again. */
export const RECORDS = [CHECKPOINT.started, CHECKPOINT.ended];

/** The program that saves, as it is started in these tests. */
export const SAVER = fileURLToPath(new URL('./saver.ts', import.meta.url));

export async function cachePlace(): Promise<CachePlace> {
  const stack = new AsyncDisposableStack();
  const service = stack.use(await startResultsService());
  return {
    service,
    job: async (options = {}, different = {}) => {
      const job = stack.use(await service.environmentFor({ run: 1, job: 'gate', ...options }));
      return jobCache(job, different);
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

function jobCache(job: JobEnvironment, different: Partial<CheckpointCacheOptions>): JobCache {
  const { env } = job;
  const medium = createMemoryMedium();
  const spool = createMemoryStore(medium);
  const cache = createCheckpointCache({
    resultsUrl: env['ACTIONS_RESULTS_URL'],
    runtimeToken: env['ACTIONS_RUNTIME_TOKEN'],
    cacheMode: env['ACTIONS_CACHE_MODE'],
    serverUrl: env['GITHUB_SERVER_URL'],
    runId: env['GITHUB_RUN_ID']!,
    runAttempt: Number(env['GITHUB_RUN_ATTEMPT']),
    temp: job.temp,
    spool,
    saver: [process.execPath, SAVER],
    environment: { ...plainEnvironment(), ...env },
    ...different,
    limits: { pauseMs: 1, ...different.limits },
  });
  return {
    ...cache,
    job,
    medium,
    save: async ({ started, ended, contents } = CHECKPOINT) => {
      for (const content of contents) await spool.put(content);
      return cache.keep(started, ended);
    },
    look: () => cache.find(UNIT, FINGERPRINT),
  };
}
