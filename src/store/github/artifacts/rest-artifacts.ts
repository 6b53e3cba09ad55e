import { z } from 'zod';
import type { ListedArtifact } from './artifact-service.ts';
import { parsedAnswer, refusal } from '../../../github/call-failure.ts';
import type { ServiceLimits } from '../../../github/limits.ts';
import { nameOf, restCalls, type RestAccess, type RestCall, type RestRequest } from '../../../github/rest/rest-call.ts';
import { redirectedTo } from '../../../github/service-address.ts';
import { asDigest } from './results-client.ts';

/** Artifacts per page: the maximum. */
const PAGE = 100;

/** Most pages requested: one request each, of a repository's thousand per hour. */
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
export class RestArtifacts {
  readonly #call: RestCall;
  readonly #access: RestAccess;
  readonly #run: string;
  readonly #bounds: Parameters<RestCall>[1];

  constructor(access: RestAccess, run: string, { callMs }: ServiceLimits) {
    this.#access = access;
    this.#call = restCalls(access);
    this.#run = run;
    this.#bounds = { limit: callMs, maxBytes: MAX_ANSWER_BYTES };
  }

  /**
   * One page of the run's artifacts, including expired ones. `total`: the number in all.
   * @throws CallFailure
   */
  async page(number: number): Promise<{ readonly artifacts: ListedArtifact[]; readonly total: number }> {
    const request = this.#get(`runs/${this.#run}/artifacts`, { per_page: PAGE, page: number });
    const listed = await this.#call(request, this.#bounds, (answer) => {
      if (answer.status !== 200) throw refusal(nameOf(request), answer);
      return parsedAnswer(nameOf(request), pageSchema, answer.body);
    });
    const own = listed.artifacts.filter(({ workflow_run: run }) => String(run?.id ?? this.#run) === this.#run);
    return {
      total: listed.total_count,
      artifacts: own.map(({ id, name, size_in_bytes: size, expired, digest }) => ({
        name,
        id,
        size,
        ...asDigest(digest),
        expired,
      })),
    };
  }

  /** How many pages this many artifacts need, limited to those that are requested. */
  pagesOf(total: number): { readonly pages: number; readonly complete: boolean } {
    const pages = Math.ceil(total / PAGE);
    return { pages: Math.min(pages, MAX_PAGES), complete: pages <= MAX_PAGES };
  }

  /** The download address of an artifact. @throws CallFailure */
  addressOf(id: number): Promise<string> {
    const request = this.#get(`artifacts/${id}/zip`);
    return this.#call(request, this.#bounds, (answer) => redirectedTo(nameOf(request), answer, this.#access.apiUrl));
  }

  #get(path: string, query?: RestRequest['query']): RestRequest {
    return {
      method: 'GET',
      path: `/repos/${this.#access.repository}/actions/${path}`,
      ...(query !== undefined && { query }),
    };
  }
}
