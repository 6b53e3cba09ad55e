import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { digestOf, hexOf } from '../../../src/json/digest.ts';
import type { GatelineRecord } from '../../../src/run/records/record.ts';
import { recordArtifactName } from '../../../src/store/github/records/artifact-names.ts';
import type { StoredArtifact } from '../../support/github/model.ts';
import { plantArtifact } from '../../support/github/plant-artifact.ts';
import { decidedRecord, endedRecord, someone, startedRecord } from '../../contract/samples.ts';
import { temporaryFolder } from '../../contract/temporary-folder.ts';
import { documentOf, RUN, startRun, type GithubRun } from './github-run.ts';
import { hostileZip } from './hostile-zip.ts';

/** Another job of the run uploads this under any name it likes. */
function plant(run: GithubRun, name: string, bytes: Uint8Array, mimeType = 'application/json'): StoredArtifact {
  return plantArtifact(run.service, { run: RUN, name, bytes, mimeType });
}

const design = endedRecord();
const review = endedRecord({ gate: 'review' });

describe('a record that is not what its artifact says', () => {
  it.each<[string, GatelineRecord | Record<string, unknown>]>([
    ["another gate's", review],
    ["another leg's", { ...design, leg: 'chrome' }],
    ["another subject's", { ...design, subject: 'pr-43' }],
    ["another pipeline's", { ...design, pipeline: 'other' }],
    ["another run's", { ...design, runNumber: 9 }],
    ["another workflow's with the same number", { ...design, by: { ...someone, runId: '99' } }],
    ["another attempt's", { ...design, n: 2 }],
    ["another run attempt's", { ...design, runAttempt: 2 }],
    ['a claim', startedRecord()],
    ['a decision', decidedRecord()],
    ['passed, where the name says failed', { ...design, verdict: { ...design.verdict, status: 'failed' } }],
    ['of another request', { ...design, fingerprint: digestOf('another request') }],
    ['of another output', { ...design, value: { digest: digestOf('another'), bytes: 7 } }],
    ['without an output', { ...design, value: undefined }],
  ])('but %s is FOREIGN, and counts as an attempt', async (_, record) => {
    await using run = await startRun();
    await (await run.open()).write(review);
    plant(run, recordArtifactName(design), documentOf(record));
    const { records, problems } = await (await run.open()).list('ship', 'pr-42');
    expect(records).toEqual([review]);
    expect(problems).toMatchObject([{ code: 'FOREIGN', names: { gate: 'design', kind: 'ended', n: 1, runNumber: 1 } }]);
  });

  it.each<[string, Uint8Array]>([
    [
      'a key `__proto__`',
      Buffer.from(documentOf(design).toString().replace('{"kind"', '{"__proto__":{"how":"reused"},"kind"')),
    ],
    ['JSON 1,000 deep', Buffer.from(`${'{"record":'.repeat(1_000)}1${'}'.repeat(1_000)}`)],
    ['a key too many', documentOf({ ...design, approved: true })],
    ['a page of a proxy', Buffer.from('<html></html>')],
    ['a zip without it', hostileZip([{ name: 'x', content: documentOf(design) }])],
    [
      'a zip with a path to it',
      hostileZip([{ name: `../${recordArtifactName(design)}`, content: documentOf(design) }]),
    ],
    [
      'a zip that ends early',
      hostileZip([{ name: recordArtifactName(design), content: documentOf(design) }]).subarray(0, 200),
    ],
    [
      'a zip that unpacks to more than a record has',
      hostileZip([{ name: recordArtifactName(design), content: Buffer.alloc(65 * 1024 * 1024, ' '), deflate: true }]),
    ],
  ])('but %s is CORRUPT, and counts as an attempt', async (_, bytes) => {
    await using run = await startRun();
    await (await run.open()).write(review);
    plant(run, recordArtifactName(design), bytes);
    const { records, problems } = await (await run.open()).list('ship', 'pr-42');
    expect(records).toEqual([review]);
    expect(problems).toMatchObject([{ code: 'CORRUPT', names: { gate: 'design' } }]);
    expect(({} as { how?: string }).how).toBeUndefined();
  });

  it('is not downloaded where it is larger than any record', async () => {
    await using run = await startRun();
    plant(run, recordArtifactName(design), documentOf(design)).size = 65 * 1024 * 1024;
    expect((await (await run.open()).list('ship', 'pr-42')).problems).toMatchObject([{ code: 'CORRUPT' }]);
    expect(run.service.callsOf('GetBlob')).toEqual([]);
  });

  it('does not trouble other subjects, and names of others trouble nobody', async () => {
    await using run = await startRun();
    const store = await run.open();
    await store.write(startedRecord({ subject: 'pr-43' }));
    plant(run, recordArtifactName(design), Buffer.from('garbage'));
    for (const name of ['coverage', 'gl1.json', 'gl1.__proto__', `${recordArtifactName(review)}.bak`, 'gl9.x'])
      plant(run, name, documentOf(design));
    const reader = await run.open();
    expect(await reader.list('ship', 'pr-43')).toMatchObject({
      records: [startedRecord({ subject: 'pr-43' })],
      problems: [],
    });
    expect((await reader.statuses('ship', 'pr-42')).statuses).toHaveLength(1);
    expect(await reader.subjects('ship')).toEqual(['pr-43']);
  });
});

describe('artifacts that were swapped', () => {
  it("gives no gate another one's record or output", async () => {
    await using run = await startRun();
    const store = await run.open();
    const values = await Promise.all(['a', 'b'].map((text) => store.put(`"${text.repeat(300_000)}"`)));
    const records = ['design', 'review'].map((gate, index) => endedRecord({ gate, value: values[index]! }));
    for (const record of records) await store.write(record);
    const blobOf = (name: RegExp) => run.artifact(name);
    for (const kind of ['ended', 'value']) {
      const [one, other] = [blobOf(new RegExp(`design.*${kind}`)), blobOf(new RegExp(`review.*${kind}`))];
      const { blobs } = run.service.world.blobs;
      const contents = [blobs.get(one.blob)!.content, blobs.get(other.blob)!.content];
      run.replace(one, contents[1]!);
      run.replace(other, contents[0]!);
    }
    const reader = await run.open();
    const { records: read, problems } = await reader.list('ship', 'pr-42');
    expect(read).toEqual([]);
    expect(problems.map(({ code, names }) => `${code} ${names?.gate}`).toSorted()).toEqual([
      'FOREIGN design',
      'FOREIGN review',
    ]);
    for (const { digest } of values) expect(await reader.get(digest)).toEqual({ state: 'absent' });
  });

  it('gives an output only with the digest that the record says', async () => {
    await using run = await startRun();
    const store = await run.open();
    const value = await store.put(`"${'a'.repeat(300_000)}"`);
    await store.write(endedRecord({ value }));
    const altered = { state: 'unknown', problem: { code: 'CONTENT_ALTERED' } };
    for (const bytes of [
      Buffer.from(`"${'b'.repeat(300_000)}"`),
      Buffer.from('short'),
      hostileZip([{ name: run.artifact(/value/).name, content: 'short' }]),
      hostileZip([{ name: run.artifact(/value/).name, content: Buffer.alloc(300_002, 'x'), deflate: true }]),
    ]) {
      run.replace(run.artifact(/value/), bytes);
      const reader = await run.open();
      await reader.list('ship', 'pr-42');
      expect(await reader.get(value.digest)).toMatchObject(altered);
      expect(await reader.check(value.digest)).toMatchObject(altered);
    }
    // Larger than it can be: not even downloaded.
    run.replace(run.artifact(/value/), Buffer.alloc(3_000_000));
    const reader = await run.open();
    await reader.list('ship', 'pr-42');
    expect(await reader.get(value.digest)).toMatchObject({ state: 'unknown', problem: { code: 'CORRUPT' } });
  });

  it('keeps texts inside a record to their digests', async () => {
    await using run = await startRun();
    const store = await run.open();
    const value = await store.put('{"score":1}');
    const record = endedRecord({ value });
    await store.write(record);
    for (const name of [/ended/, /value/])
      run.replace(run.artifact(name), documentOf(record, { [value.digest]: '{"score":9}' }));
    const reader = await run.open();
    expect((await reader.list('ship', 'pr-42')).records).toEqual([record]);
    expect(await reader.get(value.digest)).toMatchObject({ state: 'unknown', problem: { code: 'CONTENT_ALTERED' } });
  });
});

describe('a zip of contents that is hostile', () => {
  const content = Buffer.from([0, 1, 2, 255]);
  const name = hexOf(digestOf(content));

  /** What a reader gets of the content, and every file that the reading left outside of the spool. */
  async function reading(zip: Buffer) {
    await using run = await startRun();
    await using folder = await temporaryFolder();
    const store = await run.open();
    const stderr = await store.put(content);
    await store.write(endedRecord({ logs: { stderr } }));
    run.replace(run.artifact(/files/), zip);
    const reader = await run.open({ temporaryFolder: folder.path });
    await reader.list('ship', 'pr-42');
    const read = await reader.get(stderr.digest);
    const copied = await reader.copyTo(stderr.digest, join(folder.path, 'copy'), 0o600);
    const left = await readdir(folder.path);
    return { read, copied: copied.state, left: left.filter((file) => file !== 'copy') };
  }

  it('is searched for what is wanted, and nothing else of it is ever written', async () => {
    const zip = hostileZip([
      { name: '../../../../tmp/gateline-climbed', content: 'x' },
      { name: 'link', content: '/etc', mode: 0o120777 },
      { name: 'link/passwd', content: 'x' },
      { name: 'bomb', content: Buffer.alloc(20_000_000), deflate: true },
      { name, content },
    ]);
    expect(await reading(zip)).toEqual({ read: { state: 'present', value: content }, copied: 'present', left: [] });
  });

  it.each<[string, Buffer, string]>([
    ['other bytes', hostileZip([{ name, content: 'four' }]), 'CONTENT_ALTERED'],
    ['a bomb', hostileZip([{ name, content: Buffer.alloc(20_000_000), deflate: true, size: 4 }]), 'CONTENT_ALTERED'],
    ['damage', Buffer.from('PK\x03\x04 and then nothing'), 'CONTENT_ALTERED'],
    ['no zip at all', Buffer.from('what is this'), 'CONTENT_ALTERED'],
    ['60,000 entries', hostileZip([{ name, content }], 60_000), 'CONTENT_ALTERED'],
    ['too many bytes', Buffer.alloc(80 * 1024 * 1024), 'CORRUPT'],
  ])('of %s gives nothing, and says so', async (_, zip, code) => {
    const { read, copied, left } = await reading(zip);
    expect(read).toMatchObject({ state: 'unknown', problem: { code } });
    expect({ copied, left }).toEqual({ copied: 'unknown', left: [] });
  });

  it('that holds nothing of ours has nothing', async () => {
    expect((await reading(hostileZip([{ name: 'x', content: 'y' }]))).read).toEqual({ state: 'absent' });
  });
});

describe('addresses', () => {
  it('are shown to nobody: no problem, error or notice has a signature', async () => {
    await using run = await startRun();
    await (await run.open()).write(design);
    run.service.faults.add({ operation: 'GetBlob', times: Infinity, fault: { kind: 'reset' } });
    const { problems } = await (await run.open()).list('ship', 'pr-42');
    expect(problems).toHaveLength(1);
    expect(JSON.stringify(problems)).not.toMatch(/sig=|http/);
  });
});
