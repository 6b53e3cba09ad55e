import { z } from 'zod';
import type { ListedArtifact } from './artifact-service.ts';
import { CallFailure, parsedAnswer, refusal } from '../../../github/call-failure.ts';
import { bytesOf, send, type HttpAnswer } from '../../../github/http.ts';
import type { ServiceLimits } from '../../../github/limits.ts';
import { asDigest, toldAddress } from './results-client.ts';

/** GitHub's REST API, with a token that may read actions. */
export interface RestAccess {
  /** `GITHUB_API_URL`. */
  readonly url: string;
  readonly token: string;
  /** `owner/name`. */
  readonly repository: string;
}

/** Artifacts of one page: the most that there can be. */
const PAGE = 100;

/** Pages that are asked for: one request each, of a thousand an hour that a repository has. */
const MAX_PAGES = 30;

const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

const pageSchema = z.object({
  total_count: z.int().min(0),
  artifacts: z.array(
    z.object({
      id: z.int().min(0),
      name: z.string().min(1),
      size_in_bytes: z.int().min(0),
      expired: z.boolean(),
      digest: z.string().nullish(),
      workflow_run: z.object({ id: z.int() }).nullish(),
    }),
  ),
});

/** Artifacts of one run over REST: https://docs.github.com/rest/actions/artifacts */
export class RestClient {
  readonly #base: URL;
  readonly #access: RestAccess;
  readonly #run: string;
  readonly #limits: ServiceLimits;

  constructor(access: RestAccess, run: string, limits: ServiceLimits) {
    this.#access = access;
    this.#base = new URL(access.url.endsWith('/') ? access.url : `${access.url}/`);
    this.#run = run;
    this.#limits = limits;
  }

  /**
   * One page of the run's artifacts, expired ones too. `total`: how many there are in all.
   * @throws CallFailure
   */
  async page(number: number): Promise<{ readonly artifacts: ListedArtifact[]; readonly total: number }> {
    const what = 'the list of artifacts (REST)';
    const answer = await this.#get(what, `actions/runs/${this.#run}/artifacts?per_page=${PAGE}&page=${number}`);
    const bytes = await bytesOf(answer.body);
    if (answer.status !== 200) throw refusal(what, answer);
    const { total_count: total, artifacts } = parsedAnswer(what, pageSchema, bytes);
    const own = artifacts.filter(({ workflow_run: run }) => String(run?.id ?? this.#run) === this.#run);
    return {
      total,
      artifacts: own.map(({ id, name, size_in_bytes: size, expired, digest }) => ({
        name,
        id,
        size,
        ...asDigest(digest),
        expired,
      })),
    };
  }

  /** How many pages so many artifacts have, as far as they are asked for. */
  pagesOf(total: number): { readonly pages: number; readonly complete: boolean } {
    const pages = Math.ceil(total / PAGE);
    return { pages: Math.min(pages, MAX_PAGES), complete: pages <= MAX_PAGES };
  }

  /** Where an artifact may be read. @throws CallFailure */
  async addressOf(id: number): Promise<string> {
    const what = 'a download (REST)';
    const answer = await this.#get(what, `actions/artifacts/${id}/zip`);
    answer.discard();
    const { location } = answer.headers;
    if (answer.status !== 302 || typeof location !== 'string' || !URL.canParse(location)) {
      throw answer.status === 302 || answer.status === 200
        ? new CallFailure('invalid', `${what} leads nowhere`)
        : refusal(what, answer);
    }
    return toldAddress(location, this.#base);
  }

  #get(what: string, path: string): Promise<HttpAnswer> {
    return send({
      what,
      method: 'GET',
      url: new URL(`repos/${this.#access.repository}/${path}`, this.#base).href,
      headers: {
        accept: 'application/vnd.github+json',
        authorization: `Bearer ${this.#access.token}`,
        'x-github-api-version': '2022-11-28',
      },
      limit: this.#limits.callMs,
      maxBytes: MAX_ANSWER_BYTES,
    });
  }
}
