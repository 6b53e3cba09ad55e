import { existsSync } from 'node:fs';
import { mkdir, readdir, symlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import { delimiter, join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { entryVersion, type Compression } from '../../../../src/store/github/cache/entry-name.ts';
import { temporaryFolder } from '../../../contract/temporary-folder.ts';
import { Clients, endClients } from '../../../github/clients.ts';
import { REPOSITORY, plainEnvironment, startNode } from '../../../support/command-line.ts';
import { CHECKPOINT, FINGERPRINT, RECORDS, UNIT, cachePlace, checkpoint, type JobCache } from './cache-place.ts';
import { keyOf } from './planted-entry.ts';

afterAll(endClients);

/** A PATH with these programs of the machine and no others: without zstd the toolkit takes gzip. */
async function pathWith(folder: string, names: readonly string[]): Promise<string> {
  await mkdir(folder);
  const places = plainEnvironment()['PATH']!.split(delimiter);
  for (const name of names) {
    const found = places.map((place) => join(place, name)).find((path) => existsSync(path));
    await symlink(found!, join(folder, name));
  }
  return folder;
}

/** Every content of the checkpoint, as the spool of another job has it. */
function contentsIn({ medium }: JobCache): Buffer[] {
  return [...medium.contents.values()].map((bytes) => Buffer.from(bytes)).sort((a, b) => a.compare(b));
}

const CONTENTS = [...CHECKPOINT.contents].sort((a, b) => a.compare(b));

describe("an entry that GitHub's own client saved", () => {
  it.each<[Compression, readonly string[]]>([
    ['zstd-without-long', ['sh', 'tar', 'zstd', 'zstdmt']],
    ['gzip', ['sh', 'tar', 'gzip']],
  ])('with %s is found by any job, in three requests, with every record and content', async (compression, programs) => {
    await using folder = await temporaryFolder();
    await using at = await cachePlace();
    const PATH = await pathWith(join(folder.path, 'bin'), programs);
    const saving = await at.job({}, { environment: plainEnvironment({ PATH }) });
    expect(await saving.save()).toEqual([]);
    expect(at.service.world.caches).toMatchObject([{ version: entryVersion(compression), key: keyOf(1) }]);
    expect(at.service.calls.map(({ operation }) => operation)).toEqual([
      'CreateCacheEntry',
      'PutBlob',
      'FinalizeCacheEntryUpload',
    ]);
    const finding = await at.job({ run: 2 });
    expect(await finding.look()).toEqual({ records: RECORDS, notices: [] });
    expect(contentsIn(finding)).toEqual(CONTENTS);
    expect(at.service.calls.slice(3).map(({ operation }) => operation)).toEqual([
      'GetCacheEntryDownloadURL',
      'GetCacheEntryDownloadURL',
      'GetBlob',
    ]);
  });

  it('has the version that the same client looks for', async () => {
    await using at = await cachePlace();
    const cache = await at.job();
    expect(await cache.save()).toEqual([]);
    const clients = new Clients({ ...cache.job.env });
    const look = { lookupOnly: true };
    const found = clients.call('cache.restoreCache', ['gateline-checkpoint'], keyOf(1), [], look, true);
    expect(await found).toBe(keyOf(1));
  });

  it('leaves nothing behind in the temporary folder, and touches neither the workspace nor the home', async () => {
    await using at = await cachePlace();
    await using home = await temporaryFolder();
    await using work = await temporaryFolder();
    const temp = join(work.path, 'a folder [with] *odd* (signs)');
    await mkdir(temp);
    const environment = plainEnvironment({ HOME: home.path, NODE_COMPILE_CACHE: '' });
    const cache = await at.job({}, { temp, environment });
    expect(await cache.save()).toEqual([]);
    expect(await readdir(temp)).toEqual([]);
    expect(await readdir(home.path)).toEqual([]);
    expect(await readdir(cache.job.workspace)).toEqual([]);
    expect(await cache.look()).toEqual({ records: RECORDS, notices: [] });
  });

  it('is saved by concurrent jobs of one runner without one seeing the files of the other', async () => {
    await using at = await cachePlace();
    await using work = await temporaryFolder();
    const jobs = await Promise.all([1, 2, 3].map((run) => at.job({ run }, { temp: work.path })));
    const texts = ['one', 'two', 'three'];
    const saved = await Promise.all(jobs.map((job, index) => job.save(checkpoint({}, texts[index]))));
    expect(saved).toEqual([[], [], []]);
    const found = [];
    for (let count = 0; count < jobs.length; count++) {
      found.push((await (await at.job({ run: 4 })).look()).records.at(-1));
      at.service.world.caches.pop();
    }
    expect(new Set(found)).toEqual(new Set(texts.map((text) => checkpoint({}, text).ended)));
  });

  it('may have no claim', async () => {
    await using at = await cachePlace();
    const cache = await at.job();
    const { ended, contents } = CHECKPOINT;
    expect(await cache.save({ started: undefined, ended, contents: contents.slice(1) })).toEqual([]);
    const other = await at.job({ run: 2 });
    expect(await other.look()).toEqual({ records: [ended], notices: [] });
    expect(contentsIn(other)).toHaveLength(contents.length - 1);
  });

  it('is asked for through the proxy that the runner names', async () => {
    await using at = await cachePlace();
    const asked: string[] = [];
    const proxy = createServer().on('connect', (request, socket) => {
      asked.push(request.url ?? '');
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const { port } = proxy.address() as { port: number };
    vi.stubEnv('http_proxy', `http://127.0.0.1:${port}`);
    const { records } = await (await at.job({}, { resultsUrl: 'http://results.example/' })).look();
    vi.unstubAllEnvs();
    proxy.close();
    expect(records).toEqual([]);
    expect(new Set(asked)).toEqual(new Set(['results.example:80']));
  });
});

it("imports nothing of GitHub's clients to look an entry up but the one that listed artifacts before", async () => {
  await using at = await cachePlace();
  const cache = await at.job();
  await cache.save();
  const script = join(import.meta.dirname, 'fixtures/modules-of-find.ts');
  const asked = JSON.stringify({ unit: UNIT, fingerprint: FINGERPRINT });
  const env = plainEnvironment(cache.job.env);
  const { stdout, stderr } = await startNode(script, [asked], { cwd: REPOSITORY, env }).ended;
  const { records, loaded } = JSON.parse(stdout) as { records: number; loaded: readonly string[] };
  expect([records, stderr]).toEqual([2, '']);
  expect(loaded.filter((url) => !url.includes('/node_modules/@actions/http-client/'))).toEqual([]);
});
