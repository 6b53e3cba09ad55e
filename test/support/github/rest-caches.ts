import type { CacheEntry, World } from './model.ts';
import { Refusal, empty, json, type Reply, type ServiceRequest } from './protocol.ts';
import { authorise } from './rest-access.ts';
import { pageOf, restTime } from './rest-pages.ts';
import type { RestRoute } from './rest-route.ts';

/** https://docs.github.com/rest/actions/cache */
export const CACHE_ROUTES: readonly RestRoute[] = [
  { name: 'actions/get-actions-cache-list', method: 'GET', path: '/actions/caches', work: list },
  { name: 'actions/delete-actions-cache-by-id', method: 'DELETE', path: '/actions/caches/:id', work: remove },
];

/** `key` is a prefix. Sorted by the last use, the newest first, unless the request says otherwise. */
function list(world: World, request: ServiceRequest, repository: string): Reply {
  authorise(world, request, repository, ['actions'], 'read');
  const { searchParams } = request.url;
  const [key, ref] = [searchParams.get('key') ?? '', searchParams.get('ref')];
  const timeOf = ({ createdAt, usedAt }: CacheEntry): number =>
    (searchParams.get('sort') === 'created_at' ? createdAt : usedAt).getTime();
  const sign = searchParams.get('direction') === 'asc' ? 1 : -1;
  const found = entriesOf(world, repository)
    .filter((entry) => entry.key.startsWith(key) && (ref === null || entry.scope === ref))
    .toSorted((a, b) => sign * (timeOf(a) - timeOf(b) || a.id - b.id));
  const { items, headers } = pageOf(request, found);
  const actions_caches = items.map((entry) => ({
    id: entry.id,
    ref: entry.scope,
    key: entry.key,
    version: entry.version,
    last_accessed_at: restTime(entry.usedAt),
    created_at: restTime(entry.createdAt),
    size_in_bytes: world.blobs.blobs.get(entry.blob)?.content.length ?? 0,
  }));
  return json(200, { total_count: found.length, actions_caches }, headers);
}

function remove(world: World, request: ServiceRequest, repository: string, id: number): Reply {
  authorise(world, request, repository, ['actions'], 'write');
  const entry = entriesOf(world, repository).find((one) => one.id === id);
  if (entry === undefined) throw new Refusal(404, 'Not Found');
  world.caches.splice(world.caches.indexOf(entry), 1);
  return empty(204);
}

function entriesOf(world: World, repository: string): CacheEntry[] {
  return world.caches.filter((entry) => entry.finalized && entry.repository === repository);
}
