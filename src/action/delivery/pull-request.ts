import { z } from 'zod';
import type { RestClient } from '../../github/rest/rest.ts';

const pullSchema = z.object({ number: z.int() });

/** A pull request to be opened. */
export interface NewPull {
  readonly title: string;
  readonly head: string;
  readonly base: string;
  readonly body: string;
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
