import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { JobOptions } from '../../../support/github/job-environment.ts';
import { RECORDS, cachePlace, checkpoint, type JobCache } from './cache-place.ts';
import { plant, soundFiles, tarOf } from './planted-entry.ts';

const DAY = 24 * 60 * 60 * 1_000;
const NOTHING = { records: [], notices: [] };

const pushTo = (headBranch: string, run: number) => ({ run, about: { headBranch } });
const pull = (number: number, run: number): Partial<JobOptions> => ({
  run,
  about: { event: 'pull_request', headBranch: 'topic', pullRequests: [number] },
  baseBranch: 'release',
});

/** Which of the texts the newest checkpoint that this job may read holds. */
async function textFor(cache: JobCache): Promise<string> {
  const { records } = await cache.look();
  const value = records.at(-1);
  const texts = ['main', 'release', 'pull 7', 'pull 8', 'first', 'second'];
  return texts.find((text) => isDeepStrictEqual(checkpoint({}, text).ended, value)) ?? 'nothing';
}

describe('a checkpoint of', () => {
  it('a pull request is for that pull request; it reads what its base and the default branch have', async () => {
    await using at = await cachePlace();
    const main = await at.job(pushTo('main', 1));
    const release = await at.job(pushTo('release', 2));
    const seven = await at.job(pull(7, 3));
    const eight = await at.job(pull(8, 4));
    await main.save(checkpoint({}, 'main'));
    expect(await textFor(seven)).toBe('main');
    await release.save(checkpoint({}, 'release'));
    expect([await textFor(seven), await textFor(main)]).toEqual(['release', 'main']);
    expect(await seven.save(checkpoint({}, 'pull 7'))).toEqual([]);
    expect(await textFor(seven)).toBe('pull 7');
    expect([await textFor(eight), await textFor(release), await textFor(main)]).toEqual(['release', 'release', 'main']);
  });

  it('another pipeline, gate, leg or fingerprint is not found', async () => {
    await using at = await cachePlace();
    const cache = await at.job();
    await cache.save();
    const { ended } = checkpoint();
    const { pipeline, gate, leg, fingerprint } = ended;
    const other = ended.contract;
    expect(await cache.find({ pipeline, gate, leg }, other)).toEqual(NOTHING);
    const refused = {
      records: [],
      notices: ['The cache gave no checkpoint: the entry belongs to another gate.'],
    };
    for (const different of [{ pipeline: 'x' }, { gate: 'x' }, { leg: 'x' }]) {
      expect(await cache.find({ pipeline, gate, leg, ...different }, fingerprint)).toEqual(refused);
    }
  });
});

describe('of two entries for one fingerprint', () => {
  it('the newer one counts, so that a bad one is superseded by the next run', async () => {
    await using at = await cachePlace();
    await plant(at.service, { packed: Buffer.from('bad') });
    const second = await at.job({ run: 2 });
    expect((await second.look()).records).toEqual([]);
    expect(await second.save(checkpoint({}, 'second'))).toEqual([]);
    expect(await textFor(await at.job({ run: 3 }))).toBe('second');
  });

  it('the newer one counts when it was compressed otherwise', async () => {
    for (const [older, newer] of [
      ['gzip', 'zstd-without-long'],
      ['zstd-without-long', 'gzip'],
    ] as const) {
      await using at = await cachePlace();
      const archive = async (text: string) => ({ tar: await tarOf(soundFiles(checkpoint({}, text))) });
      await plant(at.service, await archive('first'), { compression: older, run: 9 });
      await plant(at.service, await archive('second'), { compression: newer, run: 10 });
      expect(await textFor(await at.job())).toBe('second');
    }
  });

  it('the older one counts when the newer one is bad and was compressed otherwise', async () => {
    await using at = await cachePlace();
    await plant(at.service, { tar: await tarOf(soundFiles()) }, { compression: 'zstd-without-long', run: 1 });
    await plant(at.service, { packed: Buffer.from('bad') }, { compression: 'gzip', run: 2 });
    const { records, notices } = await (await at.job()).look();
    expect(records).toEqual(RECORDS);
    expect(notices).toEqual(['The cache gave no checkpoint: the entry cannot be decompressed (Z_DATA_ERROR).']);
  });

  it('each attempt of a run has its own; one attempt has one, and nobody needs to be told', async () => {
    await using at = await cachePlace();
    const first = await at.job();
    expect(await first.save(checkpoint({}, 'first'))).toEqual([]);
    expect(await first.save(checkpoint({}, 'second'))).toEqual([]);
    expect(await textFor(first)).toBe('first');
    expect(await (await at.job({ attempt: 2 })).save(checkpoint({}, 'second'))).toEqual([]);
    expect(await textFor(first)).toBe('second');
  });
});

describe('an entry that is gone', () => {
  it('was evicted, was not used for a week, or never was: nothing found, nothing said', async () => {
    await using at = await cachePlace();
    const cache = await at.job();
    expect(await cache.look()).toEqual(NOTHING);
    await cache.save();
    expect((await cache.look()).records).toEqual(RECORDS);
    at.service.evictCaches();
    expect(await cache.look()).toEqual(NOTHING);
    await cache.save();
    at.service.advance(8 * DAY);
    expect(await (await at.job()).look()).toEqual(NOTHING);
  });
});

describe('a job that may', () => {
  it.each(['pull_request_target', 'issue_comment', 'workflow_run'])(
    'only read, for %s, is told that nothing is saved',
    async (event) => {
      await using at = await cachePlace();
      await (await at.job(pushTo('main', 1))).save(checkpoint({}, 'main'));
      const outsider = await at.job({ run: 2, about: { event, headBranch: 'topic', pullRequests: [7] } });
      expect(await textFor(outsider)).toBe('main');
      expect(await outsider.save()).toEqual([
        'The checkpoint was not saved to the cache: this run may only read the cache.',
      ]);
      expect(at.service.world.caches).toHaveLength(1);
    },
  );

  it('write, and is not to, is told so without a call', async () => {
    await using at = await cachePlace();
    await (await at.job()).save();
    const cache = await at.job({ run: 2 }, { mayWrite: false });
    expect((await cache.look()).records).toEqual(RECORDS);
    const calls = at.service.calls.length;
    expect(await cache.save()).toEqual([
      'The checkpoint was not saved to the cache: this run may only read the cache.',
    ]);
    expect(at.service.calls).toHaveLength(calls);
  });

  it('not even read is told so', async () => {
    await using at = await cachePlace();
    await (await at.job()).save();
    const { records, notices } = await (await at.job({ scopes: [] })).look();
    expect([records, notices]).toEqual([[], ['The cache gave no checkpoint: the lookup was answered with 403.']]);
  });

  it.each([
    ['none', false, false],
    ['read', true, false],
    ['write', true, true],
    ['write-only', false, true],
    [' Read ', true, false],
    ['', true, true],
    ['of tomorrow', true, true],
  ])('what cache-mode "%s" permits does not try the rest', async (cacheMode, mayRead, mayWrite) => {
    await using at = await cachePlace();
    await plant(at.service, { tar: await tarOf(soundFiles()) });
    const cache = await at.job({ run: 2 }, { cacheMode });
    const mode = cacheMode.trim().toLowerCase();
    const said = `cache-mode is ${mode}.`;
    const found = await cache.look();
    expect(found.notices).toEqual(mayRead ? [] : [`The cache gave no checkpoint: ${said}`]);
    expect(found.records).toEqual(mayRead ? RECORDS : []);
    const before = at.service.calls.length;
    expect(before).toBe(mayRead ? 3 : 0);
    expect(await cache.save()).toEqual(mayWrite ? [] : [`The checkpoint was not saved to the cache: ${said}`]);
    expect(at.service.calls.length - before).toBe(mayWrite ? 3 : 0);
  });

  it.each([
    ['no address', { resultsUrl: undefined }, 'the runner gives no access to it here'],
    ['no token', { runtimeToken: '' }, 'the runner gives no access to it here'],
    ['an address that is none', { resultsUrl: 'nowhere' }, 'the runner gives no access to it here'],
    [
      'an Enterprise Server',
      { serverUrl: 'https://git.example' },
      'the cache of an Enterprise Server is not supported',
    ],
  ])('nothing, for it has %s, is told so and asks nobody', async (_, different, reason) => {
    await using at = await cachePlace();
    const cache = await at.job({}, different);
    expect(await cache.look()).toEqual({ records: [], notices: [`The cache gave no checkpoint: ${reason}.`] });
    expect(await cache.save()).toEqual([`The checkpoint was not saved to the cache: ${reason}.`]);
    expect(at.service.calls).toEqual([]);
  });

  it('do without a cache asks nobody and says nothing', async () => {
    await using at = await cachePlace();
    const cache = await at.job({}, { enabled: false });
    expect(await cache.look()).toEqual(NOTHING);
    expect(await cache.save()).toEqual([]);
    expect(at.service.calls).toEqual([]);
  });
});
