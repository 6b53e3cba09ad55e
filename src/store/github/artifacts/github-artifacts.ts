import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { GatelineError } from '../../../errors/gateline-error.ts';
import { CallFailure, type FailureKind } from '../../../github/call-failure.ts';
import { readBlob, type HttpAnswer } from '../../../github/http.ts';
import { limitFor, type ServiceLimits } from '../../../github/limits.ts';
import {
  createPatientCalls,
  type Patience,
  type PatienceOptions,
  type PatientCalls,
} from '../../../github/patient-calls.ts';
import type { RestAccess } from '../../../github/rest/rest-call.ts';
import type { Failure } from '../../../github/retry.ts';
import type {
  Answer,
  ArtifactListing,
  ArtifactService,
  ListedArtifact,
  Parcel,
  Trouble,
  Uploaded,
  UploadPatience,
} from './artifact-service.ts';
import { writeAll } from '../../new-file.ts';
import { writing } from '../../../errors/store-errors.ts';
import { outageError } from './outage-error.ts';
import { RestArtifacts } from './rest-artifacts.ts';
import { ResultsClient, type ResultsAccess } from './results-client.ts';
import { Uploads, type UploadOptions } from './uploads.ts';

/** The run whose artifacts are used, and the connection to the service. */
export interface GithubArtifactsOptions extends UploadOptions, PatienceOptions {
  readonly run: { readonly id: string; readonly attempt: number };
  /** The run's own service; absent for another run. */
  readonly results?: ResultsAccess;
  /** Needed for another run, and for attempts of this run that jobs no longer see. */
  readonly rest?: RestAccess;
  /** A listing with this many artifacts may be incomplete. */
  readonly listingLimit: number;
  /** Receives notices for people, one sentence each. */
  readonly notice: (message: string) => void;
}

/** An interrupted try, and the one that finds the name taken by it. */
const TRIES_OF_A_NAME = 2;

const NOWHERE: ArtifactListing = {
  artifacts: [],
  problem: { code: 'OUTAGE', message: 'artifacts of another run can only be listed with a token' },
};

/** @throws GatelineError `ARTIFACTS_UNAVAILABLE` when the runtime token is not as a runner provides it */
export function openGithubArtifacts(options: GithubArtifactsOptions): ArtifactService {
  return new GithubArtifacts(options);
}

class GithubArtifacts implements ArtifactService {
  readonly #options: GithubArtifactsOptions;
  readonly #limits: ServiceLimits;
  readonly #results: ResultsClient | undefined;
  readonly #rest: RestArtifacts | undefined;
  readonly #uploads: Uploads;
  readonly #calls: PatientCalls;
  /** Whether the notice that REST is not accessible was given. */
  #told = false;

  constructor(options: GithubArtifactsOptions) {
    this.#options = options;
    this.#limits = options.limits;
    this.#results = options.results && new ResultsClient(options.results, options.limits);
    this.#rest = options.rest && new RestArtifacts(options.rest, options.run.id, options.limits);
    this.#uploads = new Uploads(options, this.#results);
    this.#calls = createPatientCalls(options);
  }

  async list(patience?: Patience): Promise<ArtifactListing> {
    const rest = this.#rest;
    if (this.#results === undefined) return rest === undefined ? NOWHERE : this.#listByRest(rest, patience);
    const asked = this.#listOwn(this.#results, patience);
    const hasEarlier = this.#options.run.attempt > 1;
    if (rest === undefined) return hasEarlier ? { ...(await asked), hiddenBy: 'no-token' } : asked;
    if (hasEarlier) {
      const [own, earlier] = await Promise.all([asked, this.#listByRest(rest, patience)]);
      return this.#join(own, earlier);
    }
    const own = await asked;
    return own.problem?.code === 'LISTING_LIMIT' ? this.#join(own, await this.#listByRest(rest, patience)) : own;
  }

  async upload(parcel: Parcel, { patience, earlier = 0 }: UploadPatience = {}): Promise<Uploaded> {
    if (this.#results === undefined) {
      throw new GatelineError('ARTIFACTS_UNAVAILABLE', 'artifacts can only be uploaded to the current run', {
        hint: 'Use the action in a job of the run; a `run:` step cannot upload artifacts.',
      });
    }
    await using upload = await this.#uploads.prepare(parcel);
    const uploaded = await this.#calls(patience, () => upload.try(), earlier * TRIES_OF_A_NAME);
    if (uploaded.ok) return uploaded.value;
    throw uploadFailed(parcel.name, uploaded.failure);
  }

  async download(artifact: ListedArtifact, limit: number, patience?: Patience): Promise<Answer<Buffer>> {
    const parts: Buffer[] = [];
    const take = async (chunks: AsyncIterable<Buffer>): Promise<void> => {
      parts.length = 0;
      for await (const chunk of chunks) parts.push(chunk);
    };
    const answer = await this.#fetch(artifact, limit, take, patience);
    return answer.ok ? { ok: true, value: Buffer.concat(parts) } : answer;
  }

  downloadTo(artifact: ListedArtifact, limit: number, path: string): Promise<Answer<undefined>> {
    return this.#fetch(artifact, limit, async (chunks) => {
      const handle = await writing(path, () => open(path, 'w', 0o600));
      try {
        for await (const chunk of chunks) await writing(path, () => writeAll(handle, chunk));
      } finally {
        await handle.close();
      }
    });
  }

  async #ask<T>(patience: Patience | undefined, call: () => Promise<T>): Promise<Answer<T>> {
    const answer = await this.#calls(patience, call);
    if (answer.ok) return answer;
    const { failure } = answer;
    return { ok: false, trouble: { code: codeOf(failure), message: failure.message } };
  }

  async #listOwn(results: ResultsClient, patience: Patience | undefined): Promise<ArtifactListing> {
    const answer = await this.#ask(patience, () => results.list());
    if (!answer.ok) return { artifacts: [], problem: { ...answer.trouble, code: 'OUTAGE' } };
    const { listingLimit: limit } = this.#options;
    if (answer.value.length < limit) return { artifacts: answer.value };
    const message = `the run has ${limit} artifacts or more: the listing may be incomplete`;
    return { artifacts: answer.value, problem: { code: 'LISTING_LIMIT', message } };
  }

  /** Every page of the run's list. `forbidden`: the token may not read it, which is not an outage. */
  async #listByRest(
    rest: RestArtifacts,
    patience: Patience | undefined,
  ): Promise<ArtifactListing & { readonly forbidden?: true }> {
    const page = (number: number) => this.#ask(patience, () => rest.page(number));
    const first = await page(1);
    if (!first.ok) return unlisted(first.trouble);
    const { pages, complete } = rest.pagesOf(first.value.total);
    const others = await Promise.all(Array.from({ length: Math.max(0, pages - 1) }, (_, index) => page(index + 2)));
    const artifacts = [first, ...others].flatMap((answer) => (answer.ok ? answer.value.artifacts : []));
    const failed = others.find((answer) => !answer.ok);
    if (failed !== undefined) return { ...unlisted(failed.trouble), artifacts };
    if (complete) return { artifacts };
    const message = `the run has ${first.value.total} artifacts: more than are listed`;
    return { artifacts, problem: { code: 'LISTING_LIMIT', message } };
  }

  /** Combines what jobs see with what REST adds. */
  #join(own: ArtifactListing, rest: ArtifactListing & { readonly forbidden?: true }): ArtifactListing {
    if (rest.forbidden) {
      if (!this.#told) {
        this.#options.notice(
          'Artifacts of earlier attempts may be missing: the token may not read them over REST. Give the job `permissions: actions: read`.',
        );
      }
      this.#told = true;
      return { ...own, hiddenBy: 'not-permitted' };
    }
    const seen = new Set(own.artifacts.map(({ id }) => id));
    const artifacts = [...own.artifacts, ...rest.artifacts.filter(({ id }) => !seen.has(id))];
    // A complete REST listing is not limited.
    const healed = own.problem?.code === 'LISTING_LIMIT' && rest.problem === undefined;
    const problem = healed ? undefined : (own.problem ?? rest.problem);
    return { artifacts, ...(problem && { problem }) };
  }

  async #fetch(
    artifact: ListedArtifact,
    limit: number,
    take: (chunks: AsyncIterable<Buffer>) => Promise<void>,
    patience?: Patience,
  ): Promise<Answer<undefined>> {
    if (artifact.expired) return { ok: false, trouble: { code: 'UNREADABLE', message: 'it has expired' } };
    if (artifact.size > limit) {
      return { ok: false, trouble: { code: 'CORRUPT', message: `${artifact.size} bytes are more than expected` } };
    }
    return this.#ask(patience, async () => {
      const url = await this.#addressOf(artifact);
      const what = `the download of ${artifact.name}`;
      const { downloadMs } = this.#limits;
      const time = { limit: limitFor(downloadMs, artifact.size), idle: downloadMs };
      await verified(artifact, await readBlob({ what, url, maxBytes: limit, ...time }), take);
      return undefined;
    });
  }

  /**
   * From the service that listed it. If that service denies it, REST may still return it, since REST identifies
   * artifacts by id alone.
   */
  async #addressOf({ name, id, owner }: ListedArtifact): Promise<string> {
    let denied: CallFailure | undefined;
    if (owner !== undefined && this.#results !== undefined) {
      try {
        return await this.#results.addressOf(name, owner);
      } catch (error) {
        if (!isDenied(error)) throw error;
        denied = error;
      }
    }
    if (this.#rest === undefined) {
      throw denied ?? new CallFailure('denied', `${name} can only be read with a token`);
    }
    try {
      return await this.#rest.addressOf(id);
    } catch (error) {
      if (denied === undefined || !isDenied(error)) throw error;
      throw new CallFailure('denied', `${denied.message}, and ${error.message}`, { cause: error });
    }
  }
}

const CODES: Readonly<Partial<Record<FailureKind, Trouble['code']>>> = {
  altered: 'CONTENT_ALTERED',
  'too-large': 'CORRUPT',
  invalid: 'OUTAGE',
};

function codeOf(failure: Failure): Trouble['code'] {
  const known = failure instanceof CallFailure ? CODES[failure.kind] : undefined;
  return known ?? (failure.passing ? 'OUTAGE' : 'UNREADABLE');
}

/** The service says that the artifact does not exist, or not for this job. */
function isDenied(error: unknown): error is CallFailure {
  return error instanceof CallFailure && !error.passing && (error.status === 404 || error.status === 403);
}

function unlisted({ code, message }: Trouble): ArtifactListing & { readonly forbidden?: true } {
  const problem = { code: 'OUTAGE', message } as const;
  return { artifacts: [], problem, ...(code === 'UNREADABLE' && { forbidden: true }) };
}

/** Passes on the bytes of a response, and throws afterwards if they do not match the artifact. */
async function verified(
  { name, digest }: ListedArtifact,
  { body }: HttpAnswer,
  take: (chunks: AsyncIterable<Buffer>) => Promise<void>,
): Promise<void> {
  const hash = createHash('sha256');
  const hashed = async function* () {
    for await (const chunk of body) {
      hash.update(chunk);
      yield chunk;
    }
  };
  await take(hashed());
  const actual = `sha256:${hash.digest('hex')}`;
  if (digest === undefined || digest === actual) return;
  const message = `${name} has the digest ${actual}, not the digest it was uploaded with`;
  throw new CallFailure('altered', message);
}

function uploadFailed(name: string, { message, passing }: Failure): GatelineError {
  const what = `Cannot upload the artifact ${name}: ${message}`;
  if (passing) return outageError(what);
  return new GatelineError('ARTIFACT_UPLOAD_FAILED', what);
}
