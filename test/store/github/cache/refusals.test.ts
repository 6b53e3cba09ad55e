import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { digestOf } from '../../../../src/json/digest.ts';
import { plainEnvironment } from '../../../support/command-line.ts';
import { temporaryFolder } from '../../../contract/temporary-folder.ts';
import { createMemoryStore } from '../../../../src/store/memory/memory-store.ts';
import { CHECKPOINT, cachePlace, checkpoint } from './cache-place.ts';

const notSaved = (reason: string) => [`The checkpoint was not saved to the cache: ${reason}.`];

describe('a checkpoint is not saved, and its notice says why, where', () => {
  it('there is no tar', async () => {
    await using at = await cachePlace();
    await using empty = await temporaryFolder();
    const environment = { ...plainEnvironment(), PATH: empty.path };
    const cache = await at.job({}, { environment });
    expect(await cache.save()).toEqual(notSaved('there is no tar on the PATH'));
    expect(at.service.calls).toEqual([]);
    expect(await readdir(cache.job.temp)).not.toContainEqual(expect.stringMatching(/^gateline-cache-/));
  });

  it('it is too large, before anything is copied', async () => {
    await using at = await cachePlace();
    const cache = await at.job({}, { limits: { maxBytes: 20_000 } });
    const file = { digest: digestOf('big'), bytes: 3 * 1024 * 1024 };
    const files = [{ path: 'big', before: null, after: { blob: 'b', mode: '100644', content: file } }] as const;
    expect(await cache.save(checkpoint({ files: [...files] }))).toEqual(
      notSaved('it has 3 MiB, more than 20,000 bytes'),
    );
    expect(at.service.calls).toEqual([]);
  });

  it('it has too many contents', async () => {
    await using at = await cachePlace();
    const cache = await at.job({}, { limits: { maxContents: 4 } });
    expect(await cache.save()).toEqual(notSaved('it has 5 contents, more than 4'));
  });

  it('a content is not at hand, or is not what it was', async () => {
    await using at = await cachePlace();
    const cache = await at.job();
    const { started, ended, contents } = CHECKPOINT;
    const without = { started, ended, contents: contents.slice(1) };
    expect(await cache.save(without)).toEqual(notSaved('a content of it is missing'));
    cache.medium.contents.set(digestOf(contents[0]!), Buffer.from('other'));
    expect(await cache.keep(started, ended)).toEqual(notSaved('a content of it is not as it was stored'));
  });

  it('the process that saves cannot be started, or does not do its work', async () => {
    await using at = await cachePlace();
    const [missing] = await (await at.job({}, { saver: ['/nowhere/node'] })).save();
    expect(missing).toMatch(/^The checkpoint was not saved to the cache: something unexpected \(spawn .* ENOENT\)\.$/);
    const silent = await at.job({}, { saver: [process.execPath, '--eval', '0', '--'] });
    expect(await silent.save()).toEqual(notSaved('the saving process ended without an answer'));
    const forging = 'process.send({ saved: "much" }); setInterval(() => {}, 1000)';
    const liar = await at.job({}, { saver: [process.execPath, '--eval', forging, '--'] });
    expect(await liar.save()).toEqual(notSaved('the saving process ended without an answer'));
  });

  it('the temporary folder is not there', async () => {
    await using at = await cachePlace();
    const [said] = await (await at.job({}, { temp: '/nowhere/at/all' })).save();
    expect(said).toMatch(/^The checkpoint was not saved to the cache: something unexpected \(ENOENT: .*\)\.$/);
  });
});

describe('what is found counts for nothing where', () => {
  it('the spool cannot take it', async () => {
    await using at = await cachePlace();
    await (await at.job()).save();
    const spool = Object.assign(createMemoryStore(), { put: () => Promise.reject(new Error('the disk is full')) });
    const { records, notices } = await (await at.job({ run: 2 }, { spool })).look();
    expect([records, notices]).toEqual([
      [],
      ['The cache gave no checkpoint: something unexpected (the disk is full).'],
    ]);
  });
});
