import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../contract/temporary-folder.ts';
import type { JobEnvironment, JobOptions } from '../support/github/job-environment.ts';
import { startResultsService, type ResultsService } from '../support/github/results-service.ts';
import { Clients, endClients } from './clients.ts';

const DAY = 24 * 60 * 60 * 1000;
const MISS = undefined;
const NOT_SAVED = -1;

afterAll(endClients);

/** Jobs that have their checkout at one place, as on GitHub: a cache's version depends on the path. */
interface Place extends AsyncDisposable {
  readonly service: ResultsService;
  readonly path: string;
  job(options?: Partial<JobOptions>): Promise<Clients>;
  /** Saves a file with this text under that key. */
  save(clients: Clients, key: string, text?: string): Promise<number>;
  /** Restores into an empty place: the key that was found, and the text. */
  restore(
    clients: Clients,
    key: string,
    ...restoreKeys: readonly string[]
  ): Promise<readonly [string, string] | undefined>;
}

async function place(): Promise<Place> {
  const stack = new AsyncDisposableStack();
  const service = stack.use(await startResultsService());
  const workspace = stack.use(await temporaryFolder()).path;
  const path = join(workspace, 'kept', 'value.txt');
  return {
    service,
    path,
    job: async (options = {}) => {
      const job: JobEnvironment = await service.environmentFor({ run: 1, job: 'build', workspace, ...options });
      stack.use(job);
      return new Clients(job.env);
    },
    save: async (clients, key, text = key) => {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
      return clients.call('cache.saveCache', [path], key);
    },
    restore: async (clients, key, ...restoreKeys) => {
      await rm(dirname(path), { recursive: true, force: true });
      const found: string | undefined = await clients.call('cache.restoreCache', [path], key, restoreKeys);
      return found === undefined ? undefined : [found, await readFile(path, 'utf8')];
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Facts about a run that a branch's push makes. */
const pushTo = (headBranch: string, run: number) => ({ run, about: { headBranch } });

describe('a cache entry', () => {
  it('comes back as it was saved, and its key is taken', async () => {
    await using at = await place();
    const clients = await at.job();
    expect(await at.restore(clients, 'key')).toBe(MISS);
    expect(await at.save(clients, 'key', 'first')).toBeGreaterThan(0);
    expect(await at.restore(clients, 'key')).toEqual(['key', 'first']);
    expect(await at.save(clients, 'key', 'second')).toBe(NOT_SAVED);
    expect(clients.log).toMatch(/Failed to save: Unable to reserve cache with key key/);
    expect(at.service.callsOf('CreateCacheEntry').map(({ status }) => status)).toEqual([200, 409]);
    expect(await at.restore(clients, 'key')).toEqual(['key', 'first']);
  });

  it('is found by the beginning of its key, the newest first, and by restore keys in their order', async () => {
    await using at = await place();
    const clients = await at.job();
    for (const key of ['a-1', 'a-2', 'b-1', 'a-12']) await at.save(clients, key);
    expect(await at.restore(clients, 'a-1')).toEqual(['a-1', 'a-1']);
    expect(await at.restore(clients, 'a-')).toEqual(['a-12', 'a-12']);
    expect(await at.restore(clients, 'c-', 'b-', 'a-')).toEqual(['b-1', 'b-1']);
    expect(await at.restore(clients, 'c-', 'd-')).toBe(MISS);
  });

  it('is missed under another path', async () => {
    await using at = await place();
    const clients = await at.job();
    await at.save(clients, 'key');
    expect(await clients.call('cache.restoreCache', [`${at.path}.other`], 'key')).toBe(MISS);
    expect(at.service.callsOf('GetCacheEntryDownloadURL')[0]).toMatchObject({ status: 200, name: 'key' });
  });

  it('is gone once it is evicted, or unused for a week', async () => {
    await using at = await place();
    const clients = await at.job();
    await at.save(clients, 'one');
    await at.save(clients, 'two');
    expect(at.service.evictCaches(/^one$/)).toBe(1);
    expect(await at.restore(clients, 'one')).toBe(MISS);
    at.service.advance(6 * DAY);
    const later = await at.job();
    expect(await at.restore(later, 'two')).toEqual(['two', 'two']);
    at.service.advance(6 * DAY);
    expect(await at.restore(await at.job(), 'two')).toEqual(['two', 'two']);
    at.service.advance(8 * DAY);
    expect(await at.restore(await at.job(), 'two')).toBe(MISS);
  });

  it('whose content is corrupt is a miss', async () => {
    await using at = await place();
    const clients = await at.job();
    await at.save(clients, 'key');
    const { blobs } = at.service.world;
    const { blob } = at.service.world.caches[0]!;
    blobs.put(blob, Buffer.from('no archive'), 'application/octet-stream', at.service.world.now());
    expect(await at.restore(clients, 'key')).toBe(MISS);
    expect(clients.log).toContain('::warning::Failed to restore:');
  });
});

describe('the scope of a cache', () => {
  it('is its branch; other branches read the default branch, and no others', async () => {
    await using at = await place();
    const main = await at.job(pushTo('main', 1));
    const one = await at.job(pushTo('one', 2));
    const two = await at.job(pushTo('two', 3));
    await at.save(main, 'key', 'main');
    expect(await at.restore(two, 'key')).toEqual(['key', 'main']);
    expect(await at.save(one, 'key', 'one')).toBeGreaterThan(0);
    expect(await at.restore(one, 'key')).toEqual(['key', 'one']);
    expect(await at.restore(two, 'key')).toEqual(['key', 'main']);
    expect(await at.restore(main, 'key')).toEqual(['key', 'main']);
  });

  it('of a pull request is its own; it reads its base and the default branch, an exact key of these after its own prefix', async () => {
    await using at = await place();
    const base = await at.job(pushTo('release', 1));
    await at.save(base, 'key-1', 'release');
    const about = { event: 'pull_request', headBranch: 'topic', pullRequests: [7] };
    const pull = await at.job({ run: 2, about, baseBranch: 'release' });
    expect(await at.restore(pull, 'key-1')).toEqual(['key-1', 'release']);
    await at.save(pull, 'key-12', 'pull');
    expect(at.service.world.caches.map(({ scope }) => scope)).toEqual(['refs/heads/release', 'refs/pull/7/merge']);
    expect(await at.restore(pull, 'key-1')).toEqual(['key-12', 'pull']);
    expect(await at.restore(base, 'key-12')).toBe(MISS);
  });

  it.each(['pull_request_target', 'issue_comment', 'workflow_run'])('of %s can be read, not written', async (event) => {
    await using at = await place();
    await at.save(await at.job(pushTo('main', 1)), 'key');
    const clients = await at.job({ run: 2, about: { event, headBranch: 'topic', pullRequests: [7] } });
    expect(await at.restore(clients, 'key')).toEqual(['key', 'key']);
    expect(await at.save(clients, 'other')).toBe(NOT_SAVED);
    expect(clients.log).toMatch(/::warning::Failed to save: .*cache write denied:/);
  });

  it('may be nothing at all: denied, which the caller sees as a miss', async () => {
    await using at = await place();
    await at.save(await at.job(), 'key');
    const clients = await at.job({ scopes: [] });
    expect(await at.restore(clients, 'key')).toBe(MISS);
    expect(clients.log).toMatch(/::warning::Failed to restore: .*cache read denied:/);
  });
});

describe('the cache mode', () => {
  it.each([
    ['none', MISS, NOT_SAVED],
    ['read', ['key', 'key'], NOT_SAVED],
    ['write-only', MISS, expect.any(Number)],
  ] as const)('%s keeps the client from asking', async (cacheMode, found, saved) => {
    await using at = await place();
    await at.save(await at.job(), 'key');
    const clients = await at.job({ cacheMode });
    expect(await at.restore(clients, 'key')).toEqual(found);
    expect(await at.save(clients, 'other')).toEqual(saved);
  });
});
