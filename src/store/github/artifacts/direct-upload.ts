import { createHash } from 'node:crypto';
import type { Uploaded } from './artifact-service.ts';
import { CallFailure, refusal } from '../../../github/call-failure.ts';
import { bytesOf, send } from '../../../github/http.ts';
import { limitFor, type ServiceLimits } from '../../../github/limits.ts';
import { asDigest, type ResultsClient } from './results-client.ts';

/**
 * Largest file, in bytes, that is uploaded in one request. Larger files go through GitHub's own client, block by block.
 */
export const DIRECT_LIMIT = 4 * 1024 * 1024;

/** A small file to upload unchanged as an artifact. */
export interface SmallFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** ISO 8601; absent: the repository's setting. */
  readonly expiresAt?: string;
}

/**
 * Uploads a small file in three requests: reserve its name, put its bytes (with their MD5, so that bytes damaged in
 * transit are refused), make it visible. GitHub's own client takes four requests, and a quarter of a second to load.
 *
 * Completed steps are not repeated: another try continues where the previous one failed. Once the name is taken,
 * starting again would find it taken without an owner, and a claim would be lost.
 */
export class DirectUpload {
  readonly #results: ResultsClient;
  readonly #file: SmallFile;
  readonly #limits: ServiceLimits;
  /** Upload address, once the name is taken. */
  #address: string | undefined;
  #isPut = false;
  /** The response to one of the calls was lost, so the call may have succeeded. */
  #isUncertain = false;

  constructor(results: ResultsClient, file: SmallFile, limits: ServiceLimits) {
    this.#results = results;
    this.#file = file;
    this.#limits = limits;
  }

  /** Tries once. @throws CallFailure; final only while the name is not taken yet */
  async try(): Promise<Uploaded> {
    const { name, bytes, expiresAt } = this.#file;
    try {
      this.#address ??= await this.#results.create(name, expiresAt);
      if (!this.#isPut) await this.#put(this.#address);
      this.#isPut = true;
      const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
      const id = await this.#results.finalize(name, bytes.length, digest);
      return { state: 'created', artifact: { name, id, size: bytes.length, ...asDigest(digest), expired: false } };
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      const came = this.#judge(error);
      this.#isUncertain = true;
      return came;
    }
  }

  /** Whether the name is used after a failure. A second `finalize` is refused, so a lookup by name decides. */
  #judge(error: CallFailure): Uploaded {
    if (error.passing) throw error;
    if (this.#address !== undefined) return { state: 'taken', maybeOwn: true };
    if (error.status === 409) return { state: 'taken', maybeOwn: this.#isUncertain };
    throw error;
  }

  /** Putting the same bytes twice has no effect. https://learn.microsoft.com/rest/api/storageservices/put-blob */
  async #put(url: string): Promise<void> {
    const { name, bytes } = this.#file;
    const what = `the upload of ${name}`;
    const answer = await send({
      what,
      method: 'PUT',
      url,
      headers: {
        'x-ms-blob-type': 'BlockBlob',
        'x-ms-version': '2025-11-05',
        'x-ms-blob-content-type': 'application/json',
        'content-type': 'application/json',
        'content-md5': createHash('md5').update(bytes).digest('base64'),
        'content-length': String(bytes.length),
      },
      body: bytes,
      limit: limitFor(this.#limits.callMs, bytes.length),
      maxBytes: 64 * 1024,
    });
    await bytesOf(answer.body);
    if (answer.status !== 201) throw refusal(what, answer);
  }
}
