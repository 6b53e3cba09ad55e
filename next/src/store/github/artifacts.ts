import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { DefaultArtifactClient } from '@actions/artifact';
import { GatelineError } from '../../errors.ts';
import { pauseAfterRequest, statusOf } from '../../github/octokit.ts';
import { defaultPause, withRetry } from '../../github/retry.ts';
import { digestOf, digestSchema, type Digest } from '../../json/digest.ts';

/** An artifact as lists show it. */
const listedSchema = z.object({
  id: z.int().positive(),
  name: z.string(),
  /** Bytes. */
  size: z.number(),
  createdAt: z.date().optional(),
  /** Of its content; absent in old artifacts. */
  digest: digestSchema.optional().catch(undefined),
});
export type ListedArtifact = z.infer<typeof listedSchema>;

const uploadSchema = z.object({ id: z.int().positive(), digest: z.string() });

export interface ReadOptions {
  /** The run that has the artifact. Default: the own one. */
  readonly runId?: number | undefined;
  /** Default: 256 MiB. */
  readonly maxBytes?: number;
  /** Milliseconds in which tries may start. Default: the outage budget. */
  readonly waitMs?: number | undefined;
}

export interface UploadOptions {
  /** Default: what the repository sets. */
  readonly retentionDays?: number | undefined;
  /** As for reading. */
  readonly waitMs?: number | undefined;
  /** The name is fixed: an artifact of this run that has it already is deleted. */
  readonly isReplacing?: boolean;
}

interface CallLimits {
  readonly waitMs?: number | undefined;
  readonly tryMs?: number | undefined;
}

/** Lists of a run's artifacts end here: longer ones are unknown. */
const MAX_LISTED = 1_000;
/** Largest artifact that is read into memory. */
const MAX_BYTES = 256 * 1024 * 1024;
const TRY_MS = 60_000;
const GROUP = "GitHub's artifact client";

export interface ArtifactsOptions {
  readonly job: { readonly repository: string; readonly runId: number; readonly runAttempt: number };
  /** For REST: other runs, and this one from its second attempt on. Needs `actions: read`. */
  readonly token: string;
  /** `RUNNER_TEMP`: the runner empties it. */
  readonly temp: string;
  /** Folds what the client prints, 72 lines a gate. */
  readonly group: (title: string) => Disposable;
  /** Gets a line before each further try. */
  readonly report: (line: string) => void;
  /** The outage budget: milliseconds in which tries of a call may start. Default: 5 minutes. */
  readonly waitMs?: number;
  /** Milliseconds for one try, and as much again for each 16 MiB of an upload. Default: 60 s; the client's own retries take 45 s. */
  readonly tryMs?: number;
}

/** The artifacts of a job's run and of others, by GitHub's own client. */
export class Artifacts {
  readonly #options: ArtifactsOptions;
  #client: Promise<DefaultArtifactClient> | undefined;
  #calls = 0;
  #group: Disposable | undefined;

  constructor(options: ArtifactsOptions) {
    this.#options = options;
  }

  /** Loads the client while something else is waited for. */
  async load(): Promise<DefaultArtifactClient> {
    this.#client ??= import('@actions/artifact').then(({ DefaultArtifactClient }) => new DefaultArtifactClient());
    return this.#client;
  }

  /**
   * The artifacts of a run; default: the own one.
   * @returns undefined for a run with so many artifacts that the list is cut
   */
  async list(runId = this.#options.job.runId, waitMs?: number): Promise<readonly ListedArtifact[] | undefined> {
    const findBy = this.#isInternal(runId) ? undefined : this.#findBy(runId);
    const call = async (client: DefaultArtifactClient): Promise<unknown> => client.listArtifacts({ findBy });
    const answer = await this.#call(`The list of artifacts of run ${runId}`, call, { waitMs });
    const { artifacts } = z.object({ artifacts: z.array(listedSchema) }).parse(answer);
    return artifacts.length < MAX_LISTED ? artifacts : undefined;
  }

  /**
   * The bytes of an artifact that holds one raw file, and their digest, which the caller compares. An archive stays one.
   * @returns undefined if there is no such artifact: it has expired, was deleted or never existed
   * @throws GatelineError `failed` if it is larger than `maxBytes`
   */
  async read(
    id: number,
    { runId = this.#options.job.runId, maxBytes = MAX_BYTES, waitMs }: ReadOptions = {},
  ): Promise<{ readonly bytes: Uint8Array; readonly digest: Digest } | undefined> {
    const what = `The download of artifact ${id}`;
    const download = async (client: DefaultArtifactClient, isInternal: boolean): Promise<Uint8Array> => {
      const path = await mkdtemp(join(this.#options.temp, 'gateline-read-'));
      const findBy = isInternal ? undefined : this.#findBy(runId);
      const answer = client.downloadArtifact(id, { path, skipDecompress: true, ...(findBy && { findBy }) });
      await underSize(path, maxBytes, what, answer);
      const [name = ''] = await readdir(path);
      const bytes = await readFile(join(path, name));
      await rm(path, { recursive: true, force: true });
      return bytes;
    };
    // The internal service knows what this attempt has uploaded; a used output's files may be of another run.
    for (const isInternal of this.#isInternal(runId) ? [true, false] : [false]) {
      try {
        const bytes = await this.#call(what, (client) => download(client, isInternal), { waitMs });
        return { bytes, digest: digestOf(bytes) };
      } catch (error) {
        if (!isAbsence(error)) throw error;
      }
    }
    return undefined;
  }

  /**
   * Stores bytes as a raw artifact. An upload whose acknowledgement was lost leaves an equal artifact behind, which does
   * no harm: what counts is the id and the digest that are returned.
   * @param nameOf the name for one try: the name of a failed one stays taken
   */
  async upload(
    what: string,
    nameOf: (nonce: string) => string,
    bytes: Uint8Array,
    { retentionDays, waitMs, isReplacing = false }: UploadOptions = {},
  ): Promise<{ readonly id: number; readonly digest: Digest }> {
    const digest = digestOf(bytes);
    const call = async (client: DefaultArtifactClient, tries: number): Promise<number> => {
      // Raw artifacts are named after their file. A try that was given up may still read its own.
      const folder = await mkdtemp(join(this.#options.temp, 'gateline-upload-'));
      const name = nameOf(randomBytes(6).toString('hex'));
      const path = join(folder, name);
      await writeFile(path, bytes);
      if (isReplacing && tries > 1) await client.deleteArtifact(name).catch(() => undefined);
      const options = { skipArchive: true, ...(retentionDays && { retentionDays }) };
      const answer: unknown = await client.uploadArtifact(name, [path], folder, options);
      const stored = uploadSchema.parse(answer);
      if (`sha256:${stored.digest}` !== digest) throw new Error('what was uploaded has another digest');
      await rm(folder, { recursive: true, force: true });
      return stored.id;
    };
    const tryMs = (this.#options.tryMs ?? TRY_MS) * (1 + bytes.length / (16 * 1024 * 1024));
    return { id: await this.#call(what, call, { tryMs, waitMs }), digest };
  }

  /** The internal service answers for the first attempt of the own run for certain; REST for whole runs. */
  #isInternal(runId: number): boolean {
    const { job } = this.#options;
    return runId === job.runId && job.runAttempt === 1;
  }

  #findBy(workflowRunId: number) {
    const [repositoryOwner = '', repositoryName = ''] = this.#options.job.repository.split('/');
    return { token: this.#options.token, workflowRunId, repositoryOwner, repositoryName };
  }

  async #call<T>(
    what: string,
    call: (client: DefaultArtifactClient, tries: number) => Promise<T>,
    { waitMs = this.#options.waitMs ?? 300_000, tryMs = this.#options.tryMs ?? TRY_MS }: CallLimits,
  ): Promise<T> {
    const client = await this.load();
    const report = (line: string): void => {
      this.#group?.[Symbol.dispose]();
      this.#options.report(line);
      this.#group = this.#options.group(GROUP);
    };
    // Calls that overlap share a group: the runner knows no nested ones.
    if (this.#calls === 0) this.#group = this.#options.group(GROUP);
    this.#calls += 1;
    try {
      return await withRetry(what, (tries) => call(client, tries), {
        tryMs,
        deadline: Date.now() + waitMs,
        pauseAfter,
        report,
      });
    } finally {
      this.#calls -= 1;
      if (this.#calls === 0) this.#group?.[Symbol.dispose]();
    }
  }
}

/** Undefined for errors that another try cannot help. */
function pauseAfter(error: unknown, tries: number): number | undefined {
  if (isAbsence(error) || (error instanceof GatelineError && error.fault !== 'platform')) return undefined;
  if (error instanceof Error && ['GHESNotSupportedError', 'UsageError', 'InvalidTokenError'].includes(error.name))
    return undefined;
  return statusOf(error) === undefined ? defaultPause(tries) : pauseAfterRequest(error, tries);
}

/** No such artifact: of the internal list, of the internal service without a list, or over REST (410: expired). */
function isAbsence(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'ArtifactNotFoundError' || /GetSignedArtifactURL.*\(404\)/.test(error.message)) return true;
  return statusOf(error) === 404 || statusOf(error) === 410;
}

/** Waits for a download, and gives it up when its file grows too large: the client neither tells nor bounds its size. */
async function underSize(folder: string, maxBytes: number, what: string, download: Promise<unknown>): Promise<void> {
  let watch: NodeJS.Timeout | undefined;
  const check = async (): Promise<void> => {
    const [name] = await readdir(folder);
    const size = name === undefined ? 0 : (await stat(join(folder, name))).size;
    if (size > maxBytes)
      throw new GatelineError('failed', `${what} is larger than ${maxBytes.toLocaleString('en')} bytes`);
  };
  const growth = new Promise<never>((_, reject) => {
    watch = setInterval(() => void check().catch(reject), 200);
  });
  try {
    await Promise.race([download, growth]);
  } finally {
    clearInterval(watch);
  }
  await check();
}
