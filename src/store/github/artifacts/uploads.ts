import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ArtifactClient } from '@actions/artifact';
import { GatelineError, messageOf } from '../../../errors/gateline-error.ts';
import type { Parcel, Uploaded } from './artifact-service.ts';
import { DIRECT_LIMIT, DirectUpload } from './direct-upload.ts';
import { asDigest, type ResultsClient } from './results-client.ts';
import { CallFailure, within } from '../../../github/call-failure.ts';
import { limitFor, type ServiceLimits } from '../../../github/limits.ts';

/** The only method of the toolkit's client that is used. It reads the runner's variables itself. */
export type ToolkitUploader = Pick<ArtifactClient, 'uploadArtifact'>;

/** Parts that uploads use. */
export interface UploadOptions {
  readonly limits: ServiceLimits;
  /** Folder for files during their upload. */
  readonly temporaryFolder: string;
  /** Days until artifacts expire; the repository's limit applies if it is lower. Default: the repository's setting. */
  readonly retentionDays?: number;
  /** Default: the one of @actions/artifact, loaded at the first upload. */
  readonly uploader?: () => Promise<ToolkitUploader>;
}

const DAY = 86_400_000;

/** The upload of one parcel. Its files exist until it is disposed of. */
export interface PreparedUpload extends AsyncDisposable {
  /**
   * Tries once. `taken`: the name belongs to another upload, or to an interrupted earlier try.
   * @throws CallFailure
   */
  try(): Promise<Uploaded>;
}

/** Uploads: small files in three requests, others through GitHub's own client, which reports errors only as text. */
export class Uploads {
  readonly #options: UploadOptions;
  readonly #results: ResultsClient | undefined;
  /** The service accepts only zips, no single files. */
  #zipsOnly = false;
  #uploader: Promise<ToolkitUploader> | undefined;

  /** @param results for small files; absent: everything goes through GitHub's own client */
  constructor(options: UploadOptions, results: ResultsClient | undefined) {
    this.#options = options;
    this.#results = results;
  }

  /** Writes the files of a parcel. @throws GatelineError any error from writing the files */
  async prepare(parcel: Parcel): Promise<PreparedUpload> {
    const folder = await mkdtemp(join(this.#options.temporaryFolder, 'gateline-upload-'));
    const isRaw = parcel.form === 'raw';
    const paths = await Promise.all(
      parcel.files.map(async (file) => {
        const path = join(folder, isRaw ? parcel.name : file.name);
        await file.place(path);
        return path;
      }),
    );
    const direct = isRaw ? await this.#direct(parcel, paths[0]!) : undefined;
    const large = new ToolkitUpload(parcel, { folder, paths }, this.#options, () => this.#load());
    return {
      try: () => this.#try(isRaw, direct, large),
      [Symbol.asyncDispose]: () => large.dispose(),
    };
  }

  async #try(isRaw: boolean, direct: DirectUpload | undefined, large: ToolkitUpload): Promise<Uploaded> {
    if (!isRaw || this.#zipsOnly) return large.try('zip');
    try {
      return await (direct ?? large).try('raw');
    } catch (error) {
      if (!isFormRefused(error)) throw error;
    }
    const zipped = await large.try('zip');
    this.#zipsOnly ||= zipped.state === 'created';
    return zipped;
  }

  /** `undefined`: it is not suitable for one request. */
  async #direct({ name, bytes: size }: Parcel, path: string): Promise<DirectUpload | undefined> {
    if (this.#results === undefined || size > DIRECT_LIMIT) return undefined;
    const bytes = await readFile(path);
    const expiresAt = this.#expiry();
    const file = { name, bytes, ...(expiresAt !== undefined && { expiresAt }) };
    return new DirectUpload(this.#results, file, this.#options.limits);
  }

  #expiry(): string | undefined {
    const { retentionDays } = this.#options;
    return retentionDays === undefined ? undefined : new Date(Date.now() + retentionDays * DAY).toISOString();
  }

  #load(): Promise<ToolkitUploader> {
    this.#uploader ??=
      this.#options.uploader?.() ??
      import('@actions/artifact').then(({ DefaultArtifactClient }) => new DefaultArtifactClient());
    return this.#uploader;
  }
}

/**
 * An upload through GitHub's own client. Its retries cannot be turned off: it retries for half a minute, which is one
 * try here. Each of our tries starts again, so a try that reserved the name leaves it taken.
 */
class ToolkitUpload {
  readonly #parcel: Parcel;
  readonly #files: { readonly folder: string; readonly paths: readonly string[] };
  readonly #options: UploadOptions;
  readonly #load: () => Promise<ToolkitUploader>;
  readonly #running = new Set<Promise<unknown>>();
  #tries = 0;

  constructor(
    parcel: Parcel,
    files: { readonly folder: string; readonly paths: readonly string[] },
    options: UploadOptions,
    load: () => Promise<ToolkitUploader>,
  ) {
    this.#parcel = parcel;
    this.#files = files;
    this.#options = options;
    this.#load = load;
  }

  /** Tries once. @throws CallFailure */
  async try(form: Parcel['form']): Promise<Uploaded> {
    const { name, bytes } = this.#parcel;
    const { retentionDays, limits } = this.#options;
    const uploader = await this.#load();
    const options = { skipArchive: form === 'raw', ...(retentionDays !== undefined && { retentionDays }) };
    const upload = uploader.uploadArtifact(name, [...this.#files.paths], this.#files.folder, options);
    this.#running.add(upload);
    const forget = (): void => void this.#running.delete(upload);
    upload.then(forget, forget);
    this.#tries += 1;
    try {
      const {
        id,
        size = 0,
        digest,
      } = await within(limitFor(limits.uploadMs, bytes), `the upload of ${name}`, () => upload);
      if (id === undefined) throw new CallFailure('invalid', `the upload of ${name} returned no id`);
      // The client returns bare hex digits.
      return { state: 'created', artifact: { name, id, size, ...asDigest(`sha256:${digest}`), expired: false } };
    } catch (error) {
      const failure = failureOf(error);
      if (failure.status === 409) return { state: 'taken', maybeOwn: this.#tries > 1 };
      throw failure;
    }
  }

  /** After a time limit, the client may continue and still need its files. */
  async dispose(): Promise<void> {
    const removed = Promise.allSettled(this.#running).then(() => remove(this.#files.folder));
    if (this.#running.size === 0) await removed;
  }
}

/** A server that supports only zips, no single files. */
function isFormRefused(error: unknown): boolean {
  return error instanceof CallFailure && !error.passing && error.status === 400;
}

/** Interprets the client's message. Only a response to CreateArtifact can say that a name is taken or refused. */
function failureOf(error: unknown): CallFailure {
  if (error instanceof CallFailure) return error;
  if (error instanceof GatelineError) throw error;
  const why = withoutSignature(messageOf(error)).slice(0, 300);
  const told = /^Failed to CreateArtifact: .*\((\d{3})\)/.exec(why)?.[1];
  const status = told === undefined ? undefined : Number(told);
  const isFinal = status !== undefined && status >= 400 && status < 500 && status !== 429;
  const isElsewhere = error instanceof Error && error.name === 'GHESNotSupportedError';
  const passing = !isFinal && !why.includes('storage quota') && !isElsewhere;
  return new CallFailure(passing ? 'outage' : 'refused', why, { cause: error, status });
}

/** Upload addresses are signed, and messages of the storage client may quote them. */
function withoutSignature(text: string): string {
  return text.replaceAll(/\bsig=[^&\s"']+/g, 'sig=…');
}

async function remove(folder: string): Promise<void> {
  // The runner empties its temporary folder anyway.
  await rm(folder, { recursive: true, force: true }).catch(() => undefined);
}
