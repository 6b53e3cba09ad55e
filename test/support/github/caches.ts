import { z } from 'zod';
import { createBlob, signAddress } from './blobs.ts';
import type { Github } from './github.ts';
import { Refusal, json, parseBody, type Reply, type Request } from './http.ts';
import type { CacheEntry } from './model.ts';
import type { RuntimeToken } from './runtime-token.ts';

const entry = { key: z.string().regex(/^[^,]{1,512}$/), version: z.string().regex(/^[0-9a-f]{64}$/) };
const createSchema = z.looseObject(entry);
const finalizeSchema = z.looseObject({ ...entry, size_bytes: z.string().default('0') });
const lookupSchema = z.looseObject({ ...entry, restore_keys: z.array(entry.key).max(9).default([]) });

type Method = (github: Github, token: RuntimeToken, request: Request) => Reply;

/** Methods of `github.actions.results.api.v1.CacheService`. */
export const CACHE_METHODS: Readonly<Record<string, Method>> = {
  CreateCacheEntry: create,
  FinalizeCacheEntryUpload: finalize,
  GetCacheEntryDownloadURL: lookup,
};

function create(github: Github, token: RuntimeToken, request: Request): Reply {
  const { key, version } = parseBody(createSchema, request);
  const scope = writableScope(token);
  if (scope === undefined) return json(200, { ok: false, signed_upload_url: '', message: 'cache write denied' });
  const { caches } = github.repository(token.repository);
  if (caches.some((other) => other.key === key && other.version === version && other.scope === scope))
    throw new Refusal(409, 'cache entry with the same key, version, and scope already exists');
  const blob = createBlob();
  const id = github.nextNumber();
  caches.push({ id, key, version, scope, createdAt: github.now(), finalized: false, blob });
  const address = signAddress(github, { blob, mode: 'write', job: token, subject: key });
  return json(200, { ok: true, signed_upload_url: address, message: '' });
}

function finalize(github: Github, token: RuntimeToken, request: Request): Reply {
  const { key, version, size_bytes } = parseBody(finalizeSchema, request);
  const scope = writableScope(token);
  const upload = github
    .repository(token.repository)
    .caches.findLast((other) => other.key === key && other.version === version && other.scope === scope);
  if (upload === undefined) throw new Refusal(404, 'cache entry not found');
  if (upload.blob.content?.length !== Number(size_bytes))
    return json(200, { ok: false, entry_id: '0', message: 'the upload has another size' });
  upload.finalized = true;
  return json(200, { ok: true, entry_id: String(upload.id), message: '' });
}

/**
 * Scope by scope: the key itself, then the newest entry that begins with it, then each restore key.
 * https://docs.github.com/actions/reference/workflows-and-actions/dependency-caching#cache-key-matching
 */
function lookup(github: Github, token: RuntimeToken, request: Request): Reply {
  const { key, version, restore_keys } = parseBody(lookupSchema, request);
  const caches = github.repository(token.repository).caches.filter((other) => other.version === version);
  const scopes = token.scopes.filter(({ permission }) => (permission & 1) !== 0);
  if (scopes.length === 0) throw new Refusal(403, 'cache read denied: the token has no readable cache scopes');
  const match = scopes
    .map(({ scope }) =>
      newestMatch(
        caches.filter((other) => other.finalized && other.scope === scope),
        [key, ...restore_keys],
      ),
    )
    .find((found) => found !== undefined);
  if (match === undefined) return json(200, { ok: false, signed_download_url: '', matched_key: '' });
  const address = signAddress(github, { blob: match.blob, mode: 'read', job: token, subject: match.key });
  return json(200, { ok: true, signed_download_url: address, matched_key: match.key });
}

function newestMatch(caches: readonly CacheEntry[], keys: readonly string[]): CacheEntry | undefined {
  const newestFirst = caches.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || b.id - a.id);
  const exact = newestFirst.find(({ key }) => key === keys[0]);
  return exact ?? keys.flatMap((prefix) => newestFirst.find(({ key }) => key.startsWith(prefix)) ?? [])[0];
}

function writableScope({ scopes }: RuntimeToken): string | undefined {
  return scopes.find(({ permission }) => (permission & 2) !== 0)?.scope;
}
