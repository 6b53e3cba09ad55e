import { z } from 'zod';
import type { CacheEntry, World } from './model.ts';
import { Refusal, json, parseBody, type Reply, type ServiceRequest } from './protocol.ts';
import type { RuntimeToken } from './runtime-token.ts';

const VERSION = z.string().regex(/^[0-9a-f]{64}$/);
const KEY = z
  .string()
  .min(1)
  .max(512)
  .regex(/^[^,]*$/);
const createSchema = z.looseObject({ key: KEY, version: VERSION });
const finalizeSchema = z.looseObject({ key: KEY, version: VERSION, size_bytes: z.string().default('0') });
const lookupSchema = z.looseObject({ key: KEY, restore_keys: z.array(KEY).max(9).default([]), version: VERSION });

const READ = 1;
const WRITE = 2;

/** An entry that nobody read for this long is gone. */
const UNUSED_LIMIT = 7 * 24 * 60 * 60 * 1000;

/** Methods of `github.actions.results.api.v1.CacheService`. */
export const CACHE_METHODS: Readonly<
  Record<string, (world: World, token: RuntimeToken, request: ServiceRequest) => Reply>
> = {
  CreateCacheEntry: create,
  FinalizeCacheEntryUpload: finalize,
  GetCacheEntryDownloadURL: lookup,
};

function create(world: World, token: RuntimeToken, request: ServiceRequest): Reply {
  const asked = parseBody(createSchema, request);
  const scope = writableScope(token);
  if (scope === undefined) {
    const message = 'cache write denied: the token of this run may only read';
    return json(200, { ok: false, signed_upload_url: '', message });
  }
  const isTaken = (entry: CacheEntry) =>
    isSame(entry, token, asked) && entry.scope === scope && !isUnused(world, entry);
  if (world.caches.some(isTaken)) {
    throw new Refusal(409, 'cache entry with the same key, version, and scope already exists');
  }
  const id = world.nextNumber();
  const now = world.now();
  const blob = `caches/${id}`;
  const { key, version } = asked;
  const { repository } = token;
  world.caches.push({ id, repository, key, version, scope, blob, createdAt: now, usedAt: now, finalized: false });
  const grant = { blob, permission: 'write', caller: token, subject: key, headers: {} } as const;
  return json(200, { ok: true, signed_upload_url: world.origin + world.blobs.sign(grant), message: '' });
}

function finalize(world: World, token: RuntimeToken, request: ServiceRequest): Reply {
  const asked = parseBody(finalizeSchema, request);
  const scope = writableScope(token);
  const isAsked = (entry: CacheEntry) => isSame(entry, token, asked) && entry.scope === scope && !entry.finalized;
  const entry = world.caches.findLast(isAsked);
  if (entry === undefined) throw new Refusal(404, 'cache entry not found');
  const size = world.blobs.blobs.get(entry.blob)?.content.length;
  if (size !== Number(asked.size_bytes)) {
    const message = `the upload has ${size ?? 'no'} bytes, not ${asked.size_bytes}`;
    return json(200, { ok: false, entry_id: '0', message });
  }
  entry.finalized = true;
  return json(200, { ok: true, entry_id: String(entry.id), message: '' });
}

/**
 * Scope by scope: the key itself, then the newest entry that begins with it, then each restore key in turn, the newest first.
 * https://docs.github.com/actions/reference/workflows-and-actions/dependency-caching#cache-key-matching
 */
function lookup(world: World, token: RuntimeToken, request: ServiceRequest): Reply {
  const asked = parseBody(lookupSchema, request);
  const scopes = token.scopes.filter(({ permission }) => (permission & READ) !== 0);
  if (scopes.length === 0) throw new Refusal(403, 'cache read denied: the token has no readable cache scopes');
  const entry = scopes
    .values()
    .map(({ scope }) => find(world, token, asked, scope))
    .find(Boolean);
  if (entry === undefined) return json(200, { ok: false, signed_download_url: '', matched_key: '' });
  entry.usedAt = world.now();
  const headers = { 'content-type': 'application/octet-stream' };
  const grant = { blob: entry.blob, permission: 'read', caller: token, subject: entry.key, headers } as const;
  const address = world.origin + world.blobs.sign(grant);
  return json(200, { ok: true, signed_download_url: address, matched_key: entry.key });
}

function find(
  world: World,
  token: RuntimeToken,
  asked: z.infer<typeof lookupSchema>,
  scope: string,
): CacheEntry | undefined {
  const newestFirst = world.caches
    .filter((entry) => entry.finalized && entry.scope === scope && entry.repository === token.repository)
    .filter((entry) => entry.version === asked.version && !isUnused(world, entry))
    .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || b.id - a.id);
  const exact = newestFirst.find(({ key }) => key === asked.key);
  const prefixes = [asked.key, ...asked.restore_keys];
  return (
    exact ??
    prefixes
      .values()
      .map((prefix) => newestFirst.find(({ key }) => key.startsWith(prefix)))
      .find(Boolean)
  );
}

function isSame(
  entry: CacheEntry,
  token: RuntimeToken,
  asked: { readonly key: string; readonly version: string },
): boolean {
  return entry.repository === token.repository && entry.key === asked.key && entry.version === asked.version;
}

function isUnused(world: World, entry: CacheEntry): boolean {
  return world.now().getTime() - entry.usedAt.getTime() > UNUSED_LIMIT;
}

function writableScope({ scopes }: RuntimeToken): string | undefined {
  return scopes.find(({ permission }) => (permission & WRITE) !== 0)?.scope;
}
