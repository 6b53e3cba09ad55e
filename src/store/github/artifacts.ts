import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { DefaultArtifactClient } from '@actions/artifact';
import { GatelineError } from '../../errors.ts';
import { explainRequestError, pauseAfterRequest, statusOf, repositoryParameters } from '../../github/octokit.ts';
import { withRetry } from '../../github/retry.ts';
import { digestOf, digestSchema, type Digest } from '../../json/digest.ts';

const listedSchema = z.object({
  id: z.int().positive(),
  name: z.string(),
  /** Bytes. */
  size: z.number(),
  createdAt: z.date().optional(),
  digest: digestSchema.optional().catch(undefined),
});
/** An artifact as lists show it. */
export type ListedArtifact = z.infer<typeof listedSchema>;
const listSchema = z.object({ artifacts: z.array(listedSchema) });
const uploadSchema = z.object({ id: z.int().positive(), digest: z.string() });

/** The client never lists more artifacts of a run. */
const MAX_LISTED = 1_000;
const MIB = 1024 * 1024;

export interface ArtifactsOptions {
  readonly job: { readonly repository: string; readonly runId: number; readonly runAttempt: number };
  /** For REST, which is used for other runs, and for this one from its second attempt on. Needs `actions: read`. */
  readonly token: string;
  /** `RUNNER_TEMP`, which the runner empties. */
  readonly temp: string;
  /** Opens a log group around what the client prints: 72 lines per gate. */
  readonly group: (title: string) => Disposable;
  /** Called with a line before each further try. */
  readonly report: (line: string) => void;
  /** The outage budget: milliseconds in which further tries of one call may start. Default: 5 minutes. */
  readonly waitMs?: number | undefined;
  /** Milliseconds for one try, and as many for each 16 MiB of an upload. Default: 60 s. */
  readonly tryMs?: number | undefined;
}

/** The artifacts of a job's run and of others, by GitHub's own client. */
export class Artifacts {
  readonly #options: Required<ArtifactsOptions>;
  #calls = 0;
  #group: Disposable | undefined;

  constructor({ waitMs = 300_000, tryMs = 60_000, ...options }: ArtifactsOptions) {
    this.#options = { ...options, waitMs, tryMs };
  }

  /** The artifacts of a run; undefined: the client cut the list. */
  async list(runId: number): Promise<readonly ListedArtifact[] | undefined> {
    const findBy = this.#isInternal(runId) ? undefined : this.#findBy(runId);
    const what = `The list of artifacts of run ${runId}`;
    const { artifacts } = await this.#call(what, async (client) =>
      listSchema.parse(await client.listArtifacts(findBy && { findBy })),
    );
    return artifacts.length < MAX_LISTED ? artifacts : undefined;
  }

  /**
   * The bytes of a raw artifact, which is one file, and their digest, which the caller compares. An archive is not
   * unpacked.
   * @param runId the run of the artifact
   * @returns undefined if the artifact has expired, was deleted or never existed
   * @throws GatelineError `failed` if it is larger than `maxBytes`
   */
  async read(id: number, runId: number, maxBytes: number): Promise<ArtifactContent | undefined> {
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
    // The internal service may list an artifact late, and does not know those of other runs, which have files of outputs
    // that are used again: REST is asked next.
    for (const isInternal of this.#isInternal(runId) ? [true, false] : [false]) {
      try {
        const bytes = await this.#call(what, (client) => download(client, isInternal));
        return { bytes, digest: digestOf(bytes) };
      } catch (error) {
        if (!(error instanceof GatelineError && isAbsence(error.cause))) throw error;
      }
    }
    return undefined;
  }

  /**
   * Stores bytes as a raw artifact. If the response of a successful try is lost, its artifact stays behind. That is
   * harmless: later jobs use the id and the digest that are returned.
   * @param nameOf the name for one try, since that of a failed try stays taken. A constant name replaces its artifact
   */
  async upload(what: string, nameOf: (nonce: string) => string, bytes: Uint8Array, retentionDays?: number) {
    const digest = digestOf(bytes);
    const names = new Set<string>();
    // In a re-run a constant name is taken by the attempt before.
    if (this.#options.job.runAttempt > 1 && nameOf('') === nameOf('-')) names.add(nameOf(''));
    const call = async (client: DefaultArtifactClient): Promise<number> => {
      // A raw artifact is named after its file. Each try has its own folder: one that was given up may still read.
      const folder = await mkdtemp(join(this.#options.temp, 'gateline-upload-'));
      const name = nameOf(randomBytes(6).toString('hex'));
      await writeFile(join(folder, name), bytes);
      if (names.has(name)) await client.deleteArtifact(name).catch(() => undefined);
      names.add(name);
      const options = { skipArchive: true, ...(retentionDays && { retentionDays }) };
      const stored = uploadSchema.parse(await client.uploadArtifact(name, [join(folder, name)], folder, options));
      if (`sha256:${stored.digest}` !== digest) throw new Error('what was uploaded has another digest');
      await rm(folder, { recursive: true, force: true });
      return stored.id;
    };
    return { id: await this.#call(what, call, 1 + bytes.length / (16 * MIB)), digest };
  }

  /** The internal service reliably knows only the first attempt of this run; REST knows whole runs. */
  #isInternal(runId: number): boolean {
    return runId === this.#options.job.runId && this.#options.job.runAttempt === 1;
  }

  #findBy(workflowRunId: number) {
    const { owner: repositoryOwner, repo: repositoryName } = repositoryParameters(this.#options.job.repository);
    return { token: this.#options.token, workflowRunId, repositoryOwner, repositoryName };
  }

  async #call<T>(what: string, call: (client: DefaultArtifactClient) => Promise<T>, weight = 1): Promise<T> {
    const { DefaultArtifactClient } = await import('@actions/artifact');
    const { waitMs, tryMs, group } = this.#options;
    const open = (): void => void (this.#group = group("GitHub's artifact client"));
    const report = (line: string): void => {
      this.#group?.[Symbol.dispose]();
      this.#options.report(line);
      open();
    };
    const limits = { tryMs: tryMs * weight, deadline: Date.now() + waitMs, pauseAfter, report };
    // Overlapping calls share a group, since groups cannot be nested.
    if (this.#calls === 0) open();
    this.#calls += 1;
    try {
      return await withRetry(what, () => call(new DefaultArtifactClient()), limits);
    } catch (error) {
      if (error instanceof GatelineError) throw error;
      if (!hasNoService(error)) throw explainRequestError(what, 'actions: read', error);
      throw new GatelineError('platform', `${what} failed: this runner has no service for artifacts`, {
        hint: NO_SERVICE_HINT,
        cause: error,
      });
    } finally {
      this.#calls -= 1;
      if (this.#calls === 0) this.#group?.[Symbol.dispose]();
    }
  }
}

export interface ArtifactContent {
  readonly bytes: Uint8Array;
  readonly digest: Digest;
}

const NO_SERVICE_HINT = 'act has none that takes the client of GitHub. `gateline run` in a step with `run:` works.';

function hasNoService(error: unknown): boolean {
  return error instanceof Error && /Unable to get the ACTIONS_|^Failed to get backend IDs/.test(error.message);
}

function pauseAfter(error: unknown, tries: number): number | undefined {
  const isTooLarge = error instanceof GatelineError && error.fault === 'failed';
  // `UsageError`: the storage quota is used up.
  const isQuota = error instanceof Error && error.name === 'UsageError';
  return isTooLarge || isQuota || isAbsence(error) || hasNoService(error) ? undefined : pauseAfterRequest(error, tries);
}

/** No such artifact: over REST (410: expired), or by the internal service. */
function isAbsence(error: unknown): boolean {
  const text = error instanceof Error ? `${error.name} ${error.message}` : '';
  const isUnknown = /^ArtifactNotFoundError|GetSignedArtifactURL.*\(404\)/.test(text);
  return isUnknown || [404, 410].includes(statusOf(error) ?? 0);
}

/** Limits the size of a download, which the client neither tells nor limits. @throws GatelineError `failed` */
async function underSize(folder: string, maxBytes: number, what: string, download: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const growth = new Promise<void>((resolve, reject) => {
    const stop = (size: number): void => void (size > maxBytes && resolve());
    // A try that was given up goes on without its folder: its error here must not end the process.
    timer = setInterval(() => void sizeIn(folder).then(stop, reject), 200);
  });
  await Promise.race([download, growth]).finally(() => clearInterval(timer));
  const size = await sizeIn(folder);
  if (size > maxBytes) throw new GatelineError('failed', `${what} is larger than ${maxBytes / MIB} MiB`);
}

async function sizeIn(folder: string): Promise<number> {
  const files = await Promise.all((await readdir(folder)).map((name) => stat(join(folder, name))));
  return files.reduce((sum, { size }) => sum + size, 0);
}
