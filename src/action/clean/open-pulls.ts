import { z } from 'zod';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { RestClient } from '../../github/rest/rest.ts';

/** Pages of 100 pull requests. */
const MAX_PAGES = 20;

const pullsSchema = z.array(
  z.object({
    number: z.int(),
    head: z.object({ ref: z.string(), repo: z.object({ id: z.int() }).nullish() }),
  }),
);

/** Where the commit of a run comes from. */
export interface RunHead {
  /** `null`: GitHub does not say. */
  readonly branch: string | null;
  /** Id of its repository; `null`: GitHub does not say, as for a deleted fork. */
  readonly repository: number | null;
}

/** The pull requests that are open: their runs and cache entries stay. */
export interface OpenPulls {
  /** Whether a run of this branch may belong to one. What GitHub does not say is treated as if it did. */
  holdsRun(head: RunHead): boolean;
  /** Whether one has this number. */
  holds(pull: number): boolean;
  /** Whether a cache entry of this ref may belong to one. */
  holdsRef(ref: string): boolean;
}

/** @throws GatelineError `CLEAN_UNKNOWN` if there are more than can be listed; those of the REST API */
export async function readOpenPulls(rest: RestClient): Promise<OpenPulls> {
  const path = `/repos/${rest.repository}/pulls`;
  const listed = await rest.list({ method: 'GET', path, query: { state: 'open' } }, pullsSchema, { pages: MAX_PAGES });
  if (!listed.complete) {
    const message = `${rest.repository} has more than ${MAX_PAGES * 100} open pull requests`;
    throw new GatelineError('CLEAN_UNKNOWN', `command clean: ${message}, so it is unknown which runs are theirs`);
  }
  const numbers = new Set(listed.items.map(({ number }) => number));
  const branches = new Map<string, Set<number | null>>();
  for (const { head } of listed.items) {
    const repositories = branches.get(head.ref) ?? new Set();
    branches.set(head.ref, repositories.add(head.repo?.id ?? null));
  }
  return {
    holds: (pull) => numbers.has(pull),
    holdsRun: ({ branch, repository }) => {
      if (branch === null) return numbers.size > 0;
      const repositories = branches.get(branch);
      return (
        repositories !== undefined && (repository === null || repositories.has(null) || repositories.has(repository))
      );
    },
    holdsRef: (ref) => {
      const pull = /^refs\/pull\/([0-9]+)\//.exec(ref)?.[1];
      return pull === undefined ? branches.has(ref.replace(/^refs\/heads\//, '')) : numbers.has(Number(pull));
    },
  };
}
