import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { GatelineError } from '../../../errors/gateline-error.ts';
import type {
  Answer,
  ArtifactListing,
  ArtifactService,
  ListedArtifact,
  Parcel,
  Trouble,
  Uploaded,
} from '../artifact-service.ts';
import { writeAll } from '../../new-file.ts';
import { writing } from '../../store-errors.ts';
import { refusal, send, type HttpAnswer } from './http.ts';
import { CallFailure, limitFor, trying, type RetryBudget, type ServiceLimits } from './limits.ts';
import { RestClient, type RestAccess } from './rest-client.ts';
import { ResultsClient, type ResultsAccess } from './results-client.ts';
import { Uploads, type UploadOptions } from './uploads.ts';

/** Whose artifacts, and how they are reached. */
export interface GithubArtifactsOptions extends UploadOptions {
  readonly run: { readonly id: string; readonly attempt: number };
  /** The run's own service; absent for another run. */
  readonly results?: ResultsAccess;
  /** Needed for another run, and for attempts of this one that jobs no longer see. */
  readonly rest?: RestAccess;
  /** A listing of so many artifacts may have left some out. */
  readonly listingLimit: number;
  /** What people should know, one sentence each. */
  readonly notice: (message: string) => void;
}

const NOWHERE: ArtifactListing = {
  artifacts: [],
  problem: { code: 'OUTAGE', message: 'artifacts of another run can only be listed with a token' },
};

/** @throws GatelineError `ARTIFACTS_UNAVAILABLE` when the runtime token is not what a runner gives */
export function openGithubArtifacts(options: GithubArtifactsOptions): ArtifactService {
  return new GithubArtifacts(options);
}

class GithubArtifacts implements ArtifactService {
  readonly #options: GithubArtifactsOptions;
  readonly #limits: ServiceLimits;
  readonly #results: ResultsClient | undefined;
  readonly #rest: RestClient | undefined;
  readonly #uploads: Uploads;
  readonly #budget: RetryBudget;
  /** Whether it was said that REST is closed. */
  #told = false;

  constructor(options: GithubArtifactsOptions) {
    this.#options = options;
    this.#limits = options.limits;
    this.#results = options.results && new ResultsClient(options.results, options.limits);
    this.#rest = options.rest && new RestClient(options.rest, options.run.id, options.limits);
    this.#uploads = new Uploads(options, this.#results);
    this.#budget = { left: options.limits.retries };
  }

  async list(): Promise<ArtifactListing> {
    const rest = this.#rest;
    if (this.#results === undefined) return rest === undefined ? NOWHERE : this.#listByRest(rest);
    const asked = this.#listOwn(this.#results);
    const hasEarlier = this.#options.run.attempt > 1;
    if (rest === undefined) return hasEarlier ? { ...(await asked), hiddenBy: 'no-token' } : asked;
    if (hasEarlier) {
      const [own, earlier] = await Promise.all([asked, this.#listByRest(rest)]);
      return this.#join(own, earlier);
    }
    const own = await asked;
    return own.problem?.code === 'LISTING_LIMIT' ? this.#join(own, await this.#listByRest(rest)) : own;
  }

  async upload(parcel: Parcel): Promise<Uploaded> {
    if (this.#results === undefined) {
      throw new GatelineError('platform', 'ARTIFACTS_UNAVAILABLE', 'artifacts can only be uploaded to the own run', {
        hint: 'Use the action in a job of the run; a `run:` step cannot upload artifacts.',
      });
    }
    for (let tries = 1; ; tries += 1) {
      const tried = await this.#uploads.try(parcel);
      if (tried.state === 'created') return tried;
      if (tried.state === 'taken') return { state: 'taken', maybeOwn: tries > 1 };
      if (tried.state === 'refused' || tries >= this.#limits.tries || this.#budget.left <= 0) {
        throw uploadFailed(parcel.name, tried.why);
      }
      // A name that was taken on the way shows itself at the next try.
      this.#budget.left -= 1;
      await sleep(this.#limits.pauseMs * 2 ** (tries - 1));
    }
  }

  async download(artifact: ListedArtifact, limit: number): Promise<Answer<Buffer>> {
    const parts: Buffer[] = [];
    const answer = await this.#fetch(artifact, limit, async (chunks) => {
      parts.length = 0;
      for await (const chunk of chunks) parts.push(chunk);
    });
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

  async #listOwn(results: ResultsClient): Promise<ArtifactListing> {
    const answer = await trying(this.#limits, this.#budget, () => results.list());
    if (!answer.ok) return { artifacts: [], problem: { ...answer.trouble, code: 'OUTAGE' } };
    const { listingLimit: limit } = this.#options;
    if (answer.value.length < limit) return { artifacts: answer.value };
    const message = `the run has ${limit} artifacts or more: the listing may have left some out`;
    return { artifacts: answer.value, problem: { code: 'LISTING_LIMIT', message } };
  }

  /** Every page of the run's list. `forbidden`: the token may not read it, which is no outage. */
  async #listByRest(rest: RestClient): Promise<ArtifactListing & { readonly forbidden?: true }> {
    const page = (number: number) => trying(this.#limits, this.#budget, () => rest.page(number));
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

  /** What jobs see, and what REST tells beside it. */
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
    // What REST lists in full has no limit.
    const healed = own.problem?.code === 'LISTING_LIMIT' && rest.problem === undefined;
    const problem = healed ? undefined : (own.problem ?? rest.problem);
    return { artifacts, ...(problem && { problem }) };
  }

  async #fetch(
    artifact: ListedArtifact,
    limit: number,
    take: (chunks: AsyncIterable<Buffer>) => Promise<void>,
  ): Promise<Answer<undefined>> {
    if (artifact.expired) return { ok: false, trouble: { code: 'UNREADABLE', message: 'it has expired' } };
    if (artifact.size > limit) {
      return { ok: false, trouble: { code: 'CORRUPT', message: `${artifact.size} bytes are more than belong there` } };
    }
    return trying(this.#limits, this.#budget, async () => {
      const url = await this.#addressOf(artifact);
      const what = `the download of ${artifact.name}`;
      const { downloadMs } = this.#limits;
      const time = { limit: limitFor(downloadMs, artifact.size), idle: downloadMs };
      const answer = await send({ what, method: 'GET', url, maxBytes: limit, ...time });
      if (answer.status !== 200) {
        answer.discard();
        throw refusal(what, answer);
      }
      await verified(artifact, answer, take);
      return undefined;
    });
  }

  /** From the service that listed it. One that denies it may still give it over REST, which knows artifacts by id alone. */
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
      throw denied ?? new CallFailure(`${name} can only be read with a token`, { passing: false });
    }
    try {
      return await this.#rest.addressOf(id);
    } catch (error) {
      if (denied === undefined || !isDenied(error)) throw error;
      throw new CallFailure(`${denied.message}, and ${error.message}`, { passing: false, cause: error });
    }
  }
}

/** The service says that there is no such artifact, or none for this job. */
function isDenied(error: unknown): error is CallFailure {
  return error instanceof CallFailure && !error.passing && (error.status === 404 || error.status === 403);
}

function unlisted({ code, message }: Trouble): ArtifactListing & { readonly forbidden?: true } {
  const problem = { code: 'OUTAGE', message } as const;
  return { artifacts: [], problem, ...(code === 'UNREADABLE' && { forbidden: true }) };
}

/** Hands on the bytes of an answer, and throws afterwards when they were not the artifact's. */
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
  const message = `${name} has the digest ${actual}, not the one that it was uploaded with`;
  throw new CallFailure(message, { passing: true, code: 'CONTENT_ALTERED' });
}

function uploadFailed(name: string, why: string): GatelineError {
  return new GatelineError('platform', 'ARTIFACT_UPLOAD_FAILED', `Cannot upload the artifact ${name}: ${why}`, {
    hint: 'See https://www.githubstatus.com, then run the failed jobs again. A full storage quota has to be emptied first.',
  });
}
