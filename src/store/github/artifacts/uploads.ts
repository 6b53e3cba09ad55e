import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ArtifactClient } from '@actions/artifact';
import { GatelineError, messageOf } from '../../../errors/gateline-error.ts';
import type { ListedArtifact, Parcel } from '../artifact-service.ts';
import { DIRECT_LIMIT, uploadDirectly } from './direct-upload.ts';
import { asDigest, type ResultsClient } from './results-client.ts';
import { CallFailure, limitFor, within, type ServiceLimits } from './limits.ts';

/** The one method of the toolkit's client that is used. It reads the runner's variables by itself. */
export type ToolkitUploader = Pick<ArtifactClient, 'uploadArtifact'>;

/** What uploads need. */
export interface UploadOptions {
  readonly limits: ServiceLimits;
  /** Where files wait while they are uploaded. */
  readonly temporaryFolder: string;
  /** Days until artifacts expire; the runner's limit counts where it is lower. Default: the repository's setting. */
  readonly retentionDays?: number;
  /** `GITHUB_RETENTION_DAYS`: the most days that this repository allows. */
  readonly retentionLimit?: number;
  /** Default: that of @actions/artifact, loaded at the first upload. */
  readonly uploader?: () => Promise<ToolkitUploader>;
}

const DAY = 86_400_000;

/** One try of an upload. `refused`: trying again would not help. `failed`: whether it arrived is not known. */
export type Tried =
  | { readonly state: 'created'; readonly artifact: ListedArtifact }
  | { readonly state: 'taken' }
  | { readonly state: 'refused' | 'failed'; readonly why: string };

/** Uploads by GitHub's own client, which says what went wrong in words only. */
export class Uploads {
  readonly #options: UploadOptions;
  readonly #results: ResultsClient | undefined;
  /** The service takes no single files, only zips. */
  #zipsOnly = false;
  #uploader: Promise<ToolkitUploader> | undefined;

  /** @param results for small files; absent: everything goes by GitHub's own client */
  constructor(options: UploadOptions, results: ResultsClient | undefined) {
    this.#options = options;
    this.#results = results;
  }

  /** Tries once. @throws GatelineError what placing the files throws */
  async try(parcel: Parcel): Promise<Tried> {
    const folder = await mkdtemp(join(this.#options.temporaryFolder, 'gateline-upload-'));
    const raw = parcel.form === 'raw';
    const paths = await Promise.all(
      parcel.files.map(async (file) => {
        const path = join(folder, raw ? parcel.name : file.name);
        await file.place(path);
        return path;
      }),
    );
    const direct = raw && !this.#zipsOnly ? await this.#directly(parcel, paths[0]!, folder) : undefined;
    if (direct !== undefined && !isFormRefused(direct)) return direct;
    const uploader = await this.#load();
    const { retentionDays } = this.#options;
    const upload = (skipArchive: boolean): Promise<Tried> => {
      const options = { skipArchive, ...(retentionDays !== undefined && { retentionDays }) };
      const upload = uploader.uploadArtifact(parcel.name, paths, folder, options);
      return this.#outcome(parcel, folder, upload);
    };
    if (!raw || this.#zipsOnly) return upload(false);
    const tried = await upload(true);
    if (!isFormRefused(tried)) return tried;
    const zipped = await upload(false);
    this.#zipsOnly ||= zipped.state === 'created';
    return zipped;
  }

  /** `undefined`: it is not for one request. Whoever refuses it may take it as a zip, for which its file stays. */
  async #directly({ name, bytes: size }: Parcel, path: string, folder: string): Promise<Tried | undefined> {
    if (this.#results === undefined || size > DIRECT_LIMIT) return undefined;
    const bytes = await readFile(path);
    const expiresAt = this.#expiry();
    const upload = { name, bytes, ...(expiresAt !== undefined && { expiresAt }) };
    const tried = await uploadDirectly(this.#results, upload, this.#options.limits);
    if (!isFormRefused(tried)) await remove(folder);
    return tried;
  }

  #expiry(): string | undefined {
    const { retentionDays, retentionLimit = Infinity } = this.#options;
    if (retentionDays === undefined) return undefined;
    return new Date(Date.now() + Math.min(retentionDays, retentionLimit) * DAY).toISOString();
  }

  async #outcome(
    { name, bytes }: Parcel,
    folder: string,
    upload: ReturnType<ToolkitUploader['uploadArtifact']>,
  ): Promise<Tried> {
    try {
      const limit = limitFor(this.#options.limits.uploadMs, bytes);
      const { id, size = 0, digest } = await within(limit, `the upload of ${name}`, upload);
      if (id === undefined) return { state: 'failed', why: 'the service gave no id' };
      // The client tells bare hex digits.
      return { state: 'created', artifact: { name, id, size, ...asDigest(`sha256:${digest}`), expired: false } };
    } catch (error) {
      return judge(error);
    } finally {
      // After the time limit the client may go on, and needs its files as long.
      void upload.then(
        () => remove(folder),
        () => remove(folder),
      );
    }
  }

  #load(): Promise<ToolkitUploader> {
    this.#uploader ??=
      this.#options.uploader?.() ??
      import('@actions/artifact').then(({ DefaultArtifactClient }) => new DefaultArtifactClient());
    return this.#uploader;
  }
}

/** A server that does not know single files, only zips. */
function isFormRefused(tried: Tried): boolean {
  return tried.state === 'refused' && tried.why.includes('(400)');
}

/** What the client's words say. Only an answer to CreateArtifact can say that a name is taken or refused. */
function judge(error: unknown): Tried {
  if (error instanceof GatelineError) throw error;
  const why = withoutSignature(messageOf(error)).slice(0, 300);
  if (error instanceof CallFailure) return { state: 'failed', why };
  const status = /^Failed to CreateArtifact: .*\((\d{3})\)/.exec(why)?.[1];
  if (status === '409') return { state: 'taken' };
  const final = status !== undefined && status.startsWith('4') && status !== '429';
  const quota = why.includes('storage quota');
  const elsewhere = error instanceof Error && error.name === 'GHESNotSupportedError';
  return { state: final || quota || elsewhere ? 'refused' : 'failed', why };
}

/** Addresses of uploads are signed, and messages of the storage client may quote them. */
function withoutSignature(text: string): string {
  return text.replaceAll(/\bsig=[^&\s"']+/g, 'sig=…');
}

async function remove(folder: string): Promise<void> {
  // The runner empties its folder for temporary files anyway.
  await rm(folder, { recursive: true, force: true }).catch(() => undefined);
}
