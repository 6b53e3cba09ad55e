import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DefaultArtifactClient } from '@actions/artifact';
import { vi } from 'vitest';
import { digestOf, type Digest } from '../../../src/json/digest.ts';
import { recordName, type GatelineRecord } from '../../../src/run/records/record.ts';
import { openFilesystemStore } from '../../../src/store/filesystem/filesystem-store.ts';
import { GithubStore, type GithubStoreOptions } from '../../../src/store/github/records/github-store.ts';
import { kindOf, parseArtifactName } from '../../../src/store/github/records/artifact-names.ts';
import type { ToolkitUploader } from '../../../src/store/github/artifacts/uploads.ts';
import type { StoredArtifact } from '../../support/github/model.ts';
import type { JobEnvironment } from '../../support/github/job-environment.ts';
import { startResultsService, type ResultsService, type ServiceOptions } from '../../support/github/results-service.ts';

/** Short enough for tests, long enough for a slow machine: nothing that should answer takes this long. */
export const QUICK = { callMs: 20_000, downloadMs: 20_000, uploadMs: 20_000, pauseMs: 5 } as const;

/** What a test says of a store. */
export interface OpenOptions extends Partial<Omit<GithubStoreOptions, 'run'>> {
  readonly job?: string;
  readonly attempt?: number;
  readonly run?: number;
  /** No token for REST. */
  readonly noRest?: boolean;
  /** No runtime token: another run's artifacts. */
  readonly noResults?: boolean;
}

/** A run on the local service, and stores as its jobs open them: each with a spool of its own, as on another machine. */
export interface GithubRun extends AsyncDisposable {
  readonly service: ResultsService;
  open(options?: OpenOptions): Promise<GithubStore>;
  /** The artifact under this name. */
  artifact(name: string | RegExp): StoredArtifact;
  names(): string[];
  /** Puts other bytes in the place of an artifact's, as a job of the run could that uploads it anew. */
  replace(artifact: StoredArtifact, bytes: Uint8Array): void;
  readonly notices: string[];
}

export const RUN = 4_242;

export async function startRun(options: ServiceOptions = {}): Promise<GithubRun> {
  const service = await startResultsService(options);
  const speak = silence();
  const jobs: JobEnvironment[] = [];
  const notices: string[] = [];
  const open = async (asked: OpenOptions = {}): Promise<GithubStore> => {
    const { job: name = 'gate', attempt = 1, run = RUN, noRest, noResults, ...rest } = asked;
    const job = await service.environmentFor({ run, job: name, attempt });
    jobs.push(job);
    const temporaryFolder = join(job.temp, 'gateline');
    await mkdir(temporaryFolder, { recursive: true });
    return new GithubStore({
      run: { id: String(run), number: service.world.runs.get(run)!.number, attempt },
      ...(noResults
        ? {}
        : { results: { url: job.env['ACTIONS_RESULTS_URL']!, token: job.env['ACTIONS_RUNTIME_TOKEN']! } }),
      ...(noRest ? {} : { rest: { apiUrl: service.origin, token: job.token, repository: 'octo/gates' } }),
      spool: await openFilesystemStore({ root: join(job.temp, '.state'), workspace: job.temp }),
      temporaryFolder,
      limits: QUICK,
      notice: (message) => void notices.push(message),
      uploader: async () => uploaderFor(job.env),
      ...rest,
    });
  };
  const { artifacts, blobs } = service.world;
  return {
    service,
    open,
    notices,
    names: () => artifacts.map(({ name }) => name),
    artifact: (name) => {
      const found = artifacts.filter((one) => (typeof name === 'string' ? one.name === name : name.test(one.name)));
      if (found.length !== 1)
        throw new Error(`${found.length} artifacts ${String(name)} of ${artifacts.map((one) => one.name).join(' ')}`);
      return found[0]!;
    },
    replace: (artifact, bytes) => {
      blobs.put(artifact.blob, Buffer.from(bytes), artifact.mimeType, new Date());
      Object.assign(artifact, { size: bytes.length, digest: digestOf(bytes) });
    },
    [Symbol.asyncDispose]: async () => {
      await service[Symbol.asyncDispose]();
      for (const job of jobs) await job[Symbol.asyncDispose]();
      speak();
    },
  };
}

let silent = 0;
let quiet: { mockRestore(): void } | undefined;

/** The client prints a line for each thing it does: nothing is, until everybody who asked for it lets it be again. */
function silence(): () => void {
  if (silent === 0) quiet = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  silent += 1;
  return () => {
    silent -= 1;
    if (silent === 0) quiet?.mockRestore();
  };
}

/** The published client as a job's process has it. It reads the environment before it first waits for anything. */
function uploaderFor(env: Readonly<Record<string, string>>): ToolkitUploader {
  const client = new DefaultArtifactClient();
  return {
    uploadArtifact: (...args) => {
      const before = { ...process.env };
      Object.assign(process.env, env);
      try {
        return client.uploadArtifact(...args);
      } finally {
        for (const name of Object.keys(env)) delete process.env[name];
        Object.assign(process.env, before);
      }
    },
  };
}

/** The artifact in which a record is. */
export function artifactNamed(run: GithubRun, record: GatelineRecord): StoredArtifact {
  const found = run.service.world.artifacts.find((artifact) => {
    const name = parseArtifactName(artifact.name);
    if (name?.holds !== 'record') return false;
    const { gate, leg, runAttempt, n } = name;
    return `${gate}.${leg || '_'}.${record.runNumber}.${runAttempt}.${n}.${kindOf(name)}` === recordName(record);
  });
  if (found === undefined) throw new Error(`no artifact for ${recordName(record)}`);
  return found;
}

/** The document of a record's artifact, with whatever a test wants in it. */
export function documentOf(record: unknown, contents: Readonly<Record<Digest, string>> = {}): Buffer {
  return Buffer.from(JSON.stringify({ format: 'gateline-artifact/1', record, contents }));
}
