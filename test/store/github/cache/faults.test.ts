import { describe, expect, it } from 'vitest';
import type { Fault } from '../../../support/github/faults.ts';
import { RECORDS, cachePlace } from './cache-place.ts';
import { plant, soundFiles, tarOf } from './planted-entry.ts';

const ONCE = 1;
const ALWAYS = Infinity;

/** Each with the times that it befalls a call, and what becomes of a find; undefined: it is found all the same. */
type Case = readonly [name: string, fault: Fault, times: number, reason: RegExp | undefined];

const EVERYWHERE: readonly Case[] = [
  ['500 once', { kind: 'status', status: 500 }, ONCE, undefined],
  ['500 always', { kind: 'status', status: 500 }, ALWAYS, /answered with 500/],
  ['a page of a proxy', { kind: 'status', status: 502, html: true }, ALWAYS, /answered with 502/],
  ['429', { kind: 'status', status: 429, retryAfter: 60 }, ALWAYS, /answered with 429/],
  ['403', { kind: 'status', status: 403 }, ALWAYS, /answered with 403/],
  ['404', { kind: 'status', status: 404 }, ALWAYS, /answered with 404/],
  ['a redirect', { kind: 'status', status: 302 }, ALWAYS, /answered with 302/],
  ['no answer', { kind: 'hang' }, ALWAYS, / did not answer within 0.4 s|no answer within 400 ms/],
  ['a reset once', { kind: 'reset' }, ONCE, undefined],
  ['a reset always', { kind: 'reset' }, ALWAYS, /ECONNRESET/],
  ['a truncated answer once', { kind: 'truncate' }, ONCE, undefined],
  ['truncated answers', { kind: 'truncate' }, ALWAYS, /ECONNRESET/],
];

const SHORT = { lookupMs: 400, downloadMs: 400 };

/** What is not about time gets all the time that it needs, however slow the machine is. */
const limitsFor = (fault: Fault) => (fault.kind === 'hang' ? SHORT : {});

describe('a lookup that meets', () => {
  it.each(EVERYWHERE)('%s ends in a notice or in what was there', async (_, fault, times, reason) => {
    await using at = await cachePlace();
    await plant(at.service, { tar: await tarOf(soundFiles()) });
    const cache = await at.job({}, { limits: limitsFor(fault) });
    at.service.faults.add({ operation: 'GetCacheEntryDownloadURL', times, fault });
    const { records, notices } = await cache.look();
    expect(records).toEqual(reason === undefined ? RECORDS : []);
    expect(notices).toEqual(reason === undefined ? [] : [expect.stringMatching(reason)]);
  });

  it('a fault for one compressor finds what the other one saved', async () => {
    await using at = await cachePlace();
    await plant(at.service, { tar: await tarOf(soundFiles()) });
    // The two lookups are sent at once: whichever fails is asked for again.
    at.service.faults.add({ operation: 'GetCacheEntryDownloadURL', times: 2, fault: { kind: 'status', status: 503 } });
    expect(await (await at.job()).look()).toEqual({ records: RECORDS, notices: [] });
  });
});

describe('a download that meets', () => {
  const cases: readonly Case[] = [
    ...EVERYWHERE,
    ['another byte', { kind: 'digest' }, ALWAYS, /digest|decompressed|tar archive|document/],
  ];

  it.each(cases)('%s ends in a notice or in what was there', async (_, fault, times, reason) => {
    await using at = await cachePlace();
    await plant(at.service, { tar: await tarOf(soundFiles()) });
    const cache = await at.job({}, { limits: limitsFor(fault) });
    at.service.faults.add({ operation: 'GetBlob', times, fault });
    const { records, notices } = await cache.look();
    expect(records).toEqual(reason === undefined ? RECORDS : []);
    expect(notices).toEqual(reason === undefined ? [] : [expect.stringMatching(reason)]);
    expect(cache.medium.contents.size).toBe(reason === undefined ? 5 : 0);
  });
});

it('a find that takes long altogether ends at its own limit', async () => {
  await using at = await cachePlace();
  await plant(at.service, { tar: await tarOf(soundFiles()) });
  at.service.faults.add({ operation: 'GetBlob', fault: { kind: 'hang' } });
  const { records, notices } = await (await at.job({}, { limits: { findMs: 500 } })).look();
  expect([records, notices]).toEqual([
    [],
    [expect.stringMatching(/^The cache gave no checkpoint: .*no.* answer within .*s\.$/)],
  ]);
});

describe('a save that meets', () => {
  const operations = ['CreateCacheEntry', 'PutBlob', 'FinalizeCacheEntryUpload'];
  const faults: readonly (readonly [string, Fault])[] = [
    ['500', { kind: 'status', status: 500 }],
    ['429', { kind: 'status', status: 429 }],
    ['403', { kind: 'status', status: 403 }],
    ['no answer', { kind: 'hang' }],
    ['a reset', { kind: 'reset' }],
    ['a truncated answer', { kind: 'truncate' }],
    ['another byte', { kind: 'digest' }],
  ];
  const cases = operations.flatMap((operation) => faults.map(([name, fault]) => [name, operation, fault] as const));

  // The toolkit tries again for half a minute and more, which the limit cuts short. Whether it had time for an answer
  // is not what is asked here: whatever a save says, it ends, and afterwards there is a sound checkpoint or none.
  it.concurrent.each(cases)('%s at %s ends, and leaves what is right or nothing', async (_, operation, fault) => {
    await using at = await cachePlace();
    at.service.faults.add({ operation, times: ALWAYS, fault });
    const saving = await at.job({}, fault.kind === 'digest' ? {} : { limits: { keepMs: 1_500 } });
    const said = await saving.save();
    at.service.faults.clear();
    const { records, notices } = await (await at.job({ run: 2 })).look();
    const isUnseen = fault.kind === 'digest' && operation !== 'PutBlob';
    // What was stored is found even where the last answer got lost.
    const isFound = records.length > 0;
    expect(records).toEqual(isFound ? RECORDS : []);
    if (isUnseen) expect([said, isFound]).toEqual([[], true]);
    else if (fault.kind === 'digest') expect([isFound, notices.length]).toEqual([false, 1]);
    else expect(said).toEqual([expect.stringMatching(/^The checkpoint was not saved to the cache: .+\.$/)]);
  });

  it('tells what a person may want to know', async () => {
    await using at = await cachePlace();
    at.service.faults.add({ operation: 'CreateCacheEntry', fault: { kind: 'status', status: 429 } });
    expect(await (await at.job()).save()).toEqual([
      'The checkpoint was not saved to the cache: the service answered with status 429.',
    ]);
    at.service.faults.add({ operation: 'FinalizeCacheEntryUpload', fault: { kind: 'truncate' } });
    expect(await (await at.job()).save()).toEqual([
      'The checkpoint was not saved to the cache: the saving process ended without an answer.',
    ]);
    at.service.faults.add({ operation: 'CreateCacheEntry', fault: { kind: 'hang' } });
    expect(await (await at.job({}, { limits: { keepMs: 500 } })).save()).toEqual([
      'The checkpoint was not saved to the cache: it took too long.',
    ]);
  });
});
