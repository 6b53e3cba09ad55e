import { z } from 'zod';
import type { RestClient } from '../../github/rest/rest.ts';
import { sameFile } from '../../run/files/tree.ts';
import { isSameRepository } from '../event/trust.ts';
import { maySayTheSame, type DeliveryText } from './delivery-text.ts';
import { filesAt, readCommit } from './git-data.ts';

/** Pull requests whose files are compared. */
const LOOKED_AT = 10;

const pullSchema = z.object({ number: z.int() });

/** A pull request to be opened. */
export interface NewPull {
  readonly title: string;
  readonly head: string;
  readonly base: string;
  readonly body: string;
}

const openSchema = pullSchema.extend({
  head: z.object({ ref: z.string(), sha: z.string(), repo: z.object({ full_name: z.string() }).nullish() }),
});

/**
 * The open pull request into a branch that has these files already, and its commit: from a branch of this run or an
 * earlier one of the pipeline. A run that only reuses outputs needs no other one.
 */
export async function pullRequestWith(
  rest: RestClient,
  base: string,
  what: DeliveryText,
): Promise<{ readonly number: number; readonly commit: string } | undefined> {
  const path = `/repos/${rest.repository}/pulls`;
  const query = { base, state: 'open' };
  const { items } = await rest.list({ method: 'GET', path, query }, z.array(openSchema), { pages: 1 });
  const ours = items.filter(
    ({ head }) => head.ref.startsWith(branchPrefix(what)) && isSameRepository(head.repo?.full_name, rest.repository),
  );
  for (const { number, head } of ours.slice(0, LOOKED_AT)) {
    const { tree, message } = await readCommit(rest, head.sha);
    if (!maySayTheSame(message, what)) continue;
    const wanted = new Map(what.files.map(({ path: name, after }) => [`${what.prefix}${name}`, after]));
    const there = await filesAt(rest, tree.sha, [...wanted.keys()]);
    if ([...wanted].every(([name, after]) => sameFile(there.get(name) ?? null, after)))
      return { number, commit: head.sha };
  }
  return undefined;
}

/** What names of branches of a pipeline's deliveries begin with. */
export function branchPrefix({ pipeline }: Pick<DeliveryText, 'pipeline'>): string {
  return `gateline/${pipeline}/`;
}

/** The number of the open pull request from a branch; it is opened if there is none. */
export async function pullRequestOf(rest: RestClient, { title, head, base, body }: NewPull): Promise<number> {
  const path = `/repos/${rest.repository}/pulls`;
  const [owner] = rest.repository.split('/');
  const query = { head: `${owner}:${head}`, base, state: 'open' };
  const { items } = await rest.list({ method: 'GET', path, query }, z.array(pullSchema), { pages: 1 });
  const known = items[0];
  if (known !== undefined) return known.number;
  return (await rest.call({ method: 'POST', path, body: { title, head, base, body } }, pullSchema)).number;
}
