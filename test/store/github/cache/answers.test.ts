import { describe, expect, it } from 'vitest';
import { answering } from './answering.ts';
import { RECORDS, cachePlace } from './cache-place.ts';
import { compressed, keyOf, soundFiles, tarOf } from './planted-entry.ts';

const said = (reason: string) => [
  expect.stringMatching(new RegExp(`^The cache gave no checkpoint: ${reason}[^\n]*\\.$`)),
];

/** What a job finds that asks this service. */
async function ask(bodyFor: Parameters<typeof answering>[0]) {
  await using server = await answering(bodyFor);
  await using at = await cachePlace();
  const cache = await at.job({}, { resultsUrl: server.origin });
  return { ...(await cache.look()), seen: server.seen };
}

describe('an answer of the service', () => {
  it.each([
    ['another fingerprint', `gateline-${'0'.repeat(64)}-1.1`],
    ['no run', keyOf(1).replace(/1\.1$/, 'x')],
    ['more after the revision', `${keyOf(1)}.2.3`],
    ['a run that is no number', keyOf(1).replace(/1\.1$/, '1e3.1')],
    ['nothing', ''],
  ])('that names a key with %s is not followed', async (_, matched_key) => {
    const { notices, records, seen } = await ask((_, origin) => ({
      ok: true,
      matched_key,
      signed_download_url: `${origin}/blob`,
    }));
    expect([notices, records]).toEqual([said('the key of the found entry is not valid'), []]);
    expect(seen.map(({ path }) => path)).not.toContain('/blob');
  });

  it.each([
    ['a file', 'file:///etc/passwd'],
    ['no address', 'nowhere'],
    ['nothing', ''],
  ])('that leads to %s is not followed', async (_, signed_download_url) => {
    const { notices } = await ask(() => ({ ok: true, matched_key: keyOf(1), signed_download_url }));
    expect(notices).toEqual(said('the address of the entry is not an https address'));
  });

  it('may lead to another host, as those about artifacts may', async () => {
    const archive = await compressed(await tarOf(soundFiles()), 'gzip');
    await using blobs = await answering(() => archive);
    const { records, seen } = await ask(() => ({
      ok: true,
      matched_key: keyOf(1),
      signed_download_url: `${blobs.origin}/blob`,
    }));
    expect(records).toEqual(RECORDS);
    expect(new Set(blobs.seen.map(({ headers }) => headers.authorization))).toEqual(new Set([undefined]));
    expect(seen.map(({ path }) => path)).not.toContain('/blob');
  });

  it.each([
    ['no object', '[]'],
    ['not JSON', 'ok'],
    ['empty', ''],
    ['a text for a yes', '{"ok":"true"}'],
    ['a list for a key', '{"ok":true,"matched_key":[]}'],
    ['nested without end', '['.repeat(5_000)],
  ])('that is %s is not understood', async (_, body) => {
    expect((await ask(() => body)).notices).toEqual(said('the lookup was answered with something else than requested'));
  });

  it('that is too long is given up', async () => {
    const { notices } = await ask(() => 'x'.repeat(1024 * 1024));
    expect(notices).toEqual(said('the lookup was answered with more than 65,536 bytes'));
  });

  it('may spell its fields in either way; only the service gets the token, the download does not', async () => {
    const archive = await compressed(await tarOf(soundFiles()), 'gzip');
    const { notices, records, seen } = await ask((path, origin) => {
      if (path === '/blob') return archive;
      return { ok: true, matchedKey: keyOf(1), signedDownloadUrl: `${origin}/blob` };
    });
    // One archive for both lookups: of the two, that for gzip can be read.
    expect(records).toEqual(RECORDS);
    expect(notices.length).toBeLessThan(2);
    const tokens = seen.map(({ path, headers }) => [path, typeof headers.authorization]);
    const method = '/twirp/github.actions.results.api.v1.CacheService/GetCacheEntryDownloadURL';
    expect(new Set(tokens.map((seen) => seen.join(' ')))).toEqual(new Set([`${method} string`, '/blob undefined']));
  });
});
