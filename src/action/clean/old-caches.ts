import { z } from 'zod';
import type { RestClient } from '../../github/rest/rest.ts';
import type { OpenPulls } from './open-pulls.ts';

/** Pages of 100 entries. */
const MAX_PAGES = 10;

const ENTRY_KEY = /^(gateline-[0-9a-f]{64}-)[0-9]{1,20}\.[0-9]{1,9}(?:\.[0-9]{1,9})?$/;

const cacheSchema = z.object({
  id: z.int().min(0),
  ref: z.string(),
  key: z.string(),
  size_in_bytes: z.int().min(0),
  created_at: z.iso.datetime(),
  last_accessed_at: z.iso.datetime(),
});
const cachesSchema = z.object({ actions_caches: z.array(cacheSchema) }).transform((page) => page.actions_caches);

/** A cache entry of Gateline. */
export type CacheEntry = z.infer<typeof cacheSchema>;

/**
 * Fingerprints whose entries may all be old, as prefixes of their keys, those that nobody used for longest first. Older
 * ones than a thousand are found the next time.
 * @throws GatelineError those of the REST API
 */
export async function findOldCaches(rest: RestClient, before: Date): Promise<readonly string[]> {
  const isOld = (entry: CacheEntry): boolean => Date.parse(entry.last_accessed_at) < before.getTime();
  const entries = await listCaches(rest, 'gateline-', (items) => items.length > 0 && !isOld(items.at(-1)!));
  return [...new Set(entries.filter(isOld).flatMap(({ key }) => ENTRY_KEY.exec(key)?.[1] ?? []))];
}

/**
 * The entries of a fingerprint in the order of removal, the oldest first; none if one of them stays. A later entry
 * supersedes earlier ones, which must not be found again.
 * @param prefix of their keys
 * @throws GatelineError those of the REST API
 */
export async function oldCachesOf(
  rest: RestClient,
  prefix: string,
  { before, pulls }: { readonly before: Date; readonly pulls: OpenPulls },
): Promise<readonly CacheEntry[]> {
  const entries = await listCaches(rest, prefix, () => false);
  const stays = ({ last_accessed_at: used, created_at: made, ref }: CacheEntry): boolean =>
    Math.max(Date.parse(used), Date.parse(made)) >= before.getTime() || pulls.holdsRef(ref);
  if (entries.some(stays)) return [];
  return entries.toSorted((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at) || a.id - b.id);
}

async function listCaches(
  rest: RestClient,
  key: string,
  enough: (items: readonly CacheEntry[]) => boolean,
): Promise<readonly CacheEntry[]> {
  const path = `/repos/${rest.repository}/actions/caches`;
  const query = { key, sort: 'last_accessed_at', direction: 'asc' };
  const { items } = await rest.list({ method: 'GET', path, query }, cachesSchema, { pages: MAX_PAGES, enough });
  return items.filter((entry) => entry.key.startsWith(key));
}
