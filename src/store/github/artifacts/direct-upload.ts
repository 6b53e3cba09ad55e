import { createHash } from 'node:crypto';
import type { Uploaded } from './artifact-service.ts';
import { CallFailure, refusal } from '../../../github/call-failure.ts';
import { bytesOf, send } from '../../../github/http.ts';
import { limitFor, type ServiceLimits } from '../../../github/limits.ts';
import { asDigest, type ResultsClient } from './results-client.ts';

/** Bytes up to which one request takes a file; larger ones go by GitHub's own client, block by block. */
export const DIRECT_LIMIT = 4 * 1024 * 1024;

/** A small file to be an artifact as it is. */
export interface SmallFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** ISO 8601; absent: the repository's setting. */
  readonly expiresAt?: string;
}

/**
 * Uploads a small file in three requests: its name is taken, its bytes are put (with their MD5, so that what was damaged
 * on the way is refused), and it is made visible. GitHub's own client takes four, and a quarter of a second to load.
 *
 * What was done stays done: another try goes on where the one before failed. Once the name is taken, to begin anew would
 * find it taken by nobody, and a claim would be lost.
 */
export class DirectUpload {
  readonly #results: ResultsClient;
  readonly #file: SmallFile;
  readonly #limits: ServiceLimits;
  /** Where to put the bytes, once the name is taken. */
  #address: string | undefined;
  #isPut = false;
  /** An answer to one of the calls was lost, so that the call may have been carried out. */
  #isUncertain = false;

  constructor(results: ResultsClient, file: SmallFile, limits: ServiceLimits) {
    this.#results = results;
    this.#file = file;
    this.#limits = limits;
  }

  /** Tries once. @throws CallFailure; a final one only while the name is not taken yet */
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

  /** What a failure leaves of the name. An end that was told twice is refused the second time: whoever asks by name sees it. */
  #judge(error: CallFailure): Uploaded {
    if (error.passing) throw error;
    if (this.#address !== undefined) return { state: 'taken', maybeOwn: true };
    if (error.status === 409) return { state: 'taken', maybeOwn: this.#isUncertain };
    throw error;
  }

  /** To put the same bytes twice changes nothing. https://learn.microsoft.com/rest/api/storageservices/put-blob */
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
