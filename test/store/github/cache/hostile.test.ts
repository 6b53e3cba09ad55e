import { mkdir, readdir } from 'node:fs/promises';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestOf, hexOf } from '../../../../src/json/digest.ts';
import type { EndedRecord, StartedRecord } from '../../../../src/run/records/record.ts';
import type { CacheLimits } from '../../../../src/github/limits.ts';
import { decidedRecord } from '../../../contract/samples.ts';
import { CHECKPOINT, FINGERPRINT, RECORDS, UNIT, cachePlace } from './cache-place.ts';
import {
  FOLDER,
  compressed,
  documentFile,
  plant,
  soundFiles,
  tarOf,
  type Planting,
  type TarEntry,
} from './planted-entry.ts';
import { drawn } from '../../../support/samples.ts';

const { started, ended, contents } = CHECKPOINT;
const FORMAT = 'gateline-checkpoint/1';
const OTHER = digestOf('another');

/** The sound entry with this file more. */
const withMore = (entry: TarEntry) => [...soundFiles(), entry];
/** The sound entry with another document. */
const withDocument = (content: string) =>
  soundFiles().map((file) => (file.name.endsWith('.json') ? documentFile(content) : file));
/** The sound entry with these records. */
const withRecords = (...records: readonly unknown[]) => withDocument(JSON.stringify({ format: FORMAT, records }));
/** The sound entry whose end differs. */
const withEnded = (different: Partial<EndedRecord>) => withRecords(started, { ...ended, ...different });
/** The sound entry whose claim differs. */
const withStarted = (different: Partial<StartedRecord>) => withRecords({ ...started, ...different }, ended);

const NOT_OURS = /contains something unexpected/;
const NO_ARCHIVE = /not a complete tar archive|contains no checkpoint/;

type Case = readonly [name: string, entries: () => readonly TarEntry[], reason: RegExp];

const ARCHIVES: readonly Case[] = [
  ['an absolute path', () => withMore({ name: '/etc/cron.d/gateline', content: 'x' }), NOT_OURS],
  ['a path that climbs', () => withMore({ name: '../../../.ssh/authorized_keys', content: 'x' }), NOT_OURS],
  ['a path that climbs from our folder', () => withMore({ name: `${FOLDER}../../x`, content: 'x' }), NOT_OURS],
  ['a path with a backslash', () => withMore({ name: `${FOLDER}..\\x`, content: 'x' }), NOT_OURS],
  ['a name that is no digest', () => withMore({ name: `${FOLDER}run.sh`, content: 'x' }), NOT_OURS],
  ['a digest in capitals', () => withMore({ name: FOLDER + 'A'.repeat(64), content: 'x' }), NOT_OURS],
  [
    'a name with a line feed at its end',
    () => withMore({ name: `${FOLDER}${'a'.repeat(64)}\n`, content: 'x' }),
    NOT_OURS,
  ],
  ['a file outside our folder', () => withMore({ name: 'a'.repeat(64), content: 'x' }), NOT_OURS],
  [
    'a folder whose name is as long as ours',
    () => withMore({ name: `${'x'.repeat(FOLDER.length - 1)}/${'a'.repeat(64)}`, content: 'x' }),
    NOT_OURS,
  ],
  ['another folder', () => withMore({ name: `${FOLDER}more/`, type: 'directory' }), NOT_OURS],
  [
    'a symbolic link',
    () => withMore({ name: FOLDER + 'a'.repeat(64), type: 'symlink', linkname: '/etc/passwd' }),
    NOT_OURS,
  ],
  ['a hard link', () => withMore({ name: FOLDER + 'a'.repeat(64), type: 'link', linkname: '/etc/passwd' }), NOT_OURS],
  [
    'the folder as a link',
    () => [{ name: FOLDER.slice(0, -1), type: 'symlink', linkname: '/' }, ...soundFiles()],
    NOT_OURS,
  ],
  ['a device', () => withMore({ name: FOLDER + 'a'.repeat(64), type: 'block-device', devmajor: 8 }), NOT_OURS],
  ['a character device', () => withMore({ name: FOLDER + 'a'.repeat(64), type: 'character-device' }), NOT_OURS],
  ['a pipe', () => withMore({ name: FOLDER + 'a'.repeat(64), type: 'fifo' }), NOT_OURS],
  [
    'a path in an extended header',
    () => withMore({ name: FOLDER + 'a'.repeat(64), content: 'x', pax: { path: '/etc/x' } }),
    NOT_OURS,
  ],
  [
    'an extended header of a prototype',
    () => withMore({ name: 'x', content: 'x', pax: { __proto__: { path: 'y' }, ['constructor']: 'x' } }),
    NOT_OURS,
  ],
  ['a file twice', () => withMore(soundFiles().at(-1)!), NOT_OURS],
  ['the document twice', () => withMore(soundFiles()[1]!), NOT_OURS],
  ['10,000 files', () => withMany(10_000), /holds more than 2000 contents/],
  [
    '10,000 folders',
    () => [...Array.from({ length: 10_000 }, () => soundFiles()[0]!), ...soundFiles()],
    /more than 2000 contents/,
  ],
  ['nothing', () => [], /contains no checkpoint/],
  [
    'contents without records',
    () => soundFiles().filter(({ name }) => !name.endsWith('.json')),
    /contains no checkpoint/,
  ],
];

const CONTENTS: readonly Case[] = [
  [
    'a content with other bytes',
    () =>
      soundFiles().map((file) =>
        file.name.endsWith(hexOf(ended.value!.digest)) ? { ...file, content: 'forged' } : file,
      ),
    /wrong digest/,
  ],
  ['a content that is missing', () => soundFiles().slice(0, -1), /a content is missing/],
  [
    'a request that is missing',
    () => soundFiles().filter(({ name }) => !name.endsWith(hexOf(started!.request))),
    /a content is missing/,
  ],
  [
    'a content that no record names',
    () => withMore({ name: FOLDER + hexOf(OTHER), content: 'another' }),
    /records do not name/,
  ],
  [
    'a size that is not the content’s',
    () => withEnded({ value: { ...ended.value!, bytes: 1 }, exports: ended.value! }),
    /wrong size/,
  ],
];

const RECORDS_AND_DOCUMENTS: readonly Case[] = [
  ['a record of another gate', () => withEnded({ gate: 'deploy' }), /belongs to another gate/],
  ['a record of another leg', () => withEnded({ leg: 'linux' }), /belongs to another gate/],
  ['a claim and a result of two subjects', () => withEnded({ subject: 'pr-43' }), /of different attempts/],
  ['a record of another pipeline', () => withEnded({ pipeline: 'other' }), /belongs to another gate/],
  ['a claim of another gate', () => withStarted({ gate: 'deploy' }), /belongs to another gate/],
  ['a forged fingerprint', () => withEnded({ fingerprint: OTHER }), /another fingerprint/],
  ['a claim of another fingerprint', () => withStarted({ fingerprint: OTHER }), /another fingerprint/],
  [
    'a claim of another contract',
    () => withStarted({ contract: OTHER }),
    /claim and the result in the entry are of different attempts/,
  ],
  [
    'a claim of another attempt',
    () => withStarted({ n: 2 }),
    /claim and the result in the entry are of different attempts/,
  ],
  [
    'a decision',
    () => withRecords(ended, decidedRecord({ decision: 'approve' })),
    /records other than a claim and its result/,
  ],
  ['a decision alone', () => withRecords(decidedRecord({ fingerprint: ended.fingerprint })), /records other than/],
  ['two ends', () => withRecords(ended, ended), /records other than/],
  ['a claim alone', () => withRecords(started), /records other than/],
  ['records the wrong way round', () => withRecords(ended, started), /records other than/],
  [
    'a hundred records',
    () => withRecords(...Array.from({ length: 100 }, () => ended)),
    /document in the entry is not valid/,
  ],
  ['no records', () => withRecords(), /document in the entry is not valid/],
  ['a record that is none', () => withRecords({ kind: 'ended' }), /not valid \(CORRUPT\)/],
  ['a record with a field more', () => withRecords({ ...ended, extra: 1 }), /not valid \(CORRUPT\)/],
  [
    'a record of a later version',
    () => withRecords({ ...ended, format: 'gateline-record/9' }),
    /not valid \(UNKNOWN_VERSION\)/,
  ],
  ['a score of 1000', () => withEnded({ verdict: { ...ended.verdict, score: 1000 } }), /not valid \(CORRUPT\)/],
  [
    'a document of a later version',
    () => withDocument('{"format":"gateline-checkpoint/2","records":[]}'),
    /format of the entry is not supported/,
  ],
  [
    'a document with a prototype',
    () => withDocument(`{"format":"${FORMAT}","__proto__":{"records":[]},"records":[]}`),
    /document in the entry is malformed/,
  ],
  [
    'a record with a prototype',
    () =>
      withDocument(
        JSON.stringify({ format: FORMAT, records: [ended] }).replace('"kind"', '"__proto__":{"a":1},"kind"'),
      ),
    /malformed/,
  ],
  [
    'a key twice',
    () => withDocument(JSON.stringify({ format: FORMAT, records: [ended] }).replace('"kind"', '"gate":"x","kind"')),
    /malformed/,
  ],
  [
    '1,000 lists in each other',
    () => withDocument(`{"format":"${FORMAT}","records":${'['.repeat(1000)}${']'.repeat(1000)}}`),
    /document in the entry is too-large/,
  ],
  ['not JSON', () => withDocument('{"format":'), /document in the entry is malformed/],
  ['an empty document', () => withDocument(''), /document in the entry is missing/],
  ['a document of zero bytes', () => withDocument('\0'.repeat(100)), /document in the entry is malformed/],
  ['a list for a document', () => withDocument('[]'), /format of the entry is not supported/],
];

function withMany(count: number): TarEntry[] {
  const file = (_: unknown, index: number) => ({
    name: FOLDER + hexOf(digestOf(String(index))),
    content: String(index),
  });
  return [...soundFiles(), ...Array.from({ length: count }, file)];
}

/** Plants an archive, has it looked for, and tells what was found. The place and the spool stay as they were. */
async function lookAt(
  archive: Parameters<typeof plant>[1],
  planting: Planting = {},
  limits: Partial<CacheLimits> = {},
): Promise<readonly string[]> {
  await using at = await cachePlace();
  await plant(at.service, archive, planting);
  const cache = await at.job({}, { limits });
  await mkdir(cache.job.workspace, { recursive: true });
  const before = await readdir(cache.job.temp);
  const { records, notices } = await cache.look();
  expect(records).toEqual([]);
  expect(cache.medium.contents.size).toBe(0);
  expect([await readdir(cache.job.workspace), await readdir(cache.job.temp)]).toEqual([[], before]);
  return notices;
}

const said = (reason: RegExp) => [
  expect.stringMatching(new RegExp(`^The cache gave no checkpoint: [^\n]*(?:${reason.source})[^\n]*\\.$`)),
];

it('a sound entry that is put together by hand is found: so what follows is refused for what it holds', async () => {
  for (const compression of ['gzip', 'zstd-without-long'] as const) {
    await using at = await cachePlace();
    await plant(at.service, { tar: await tarOf(soundFiles()) }, { compression });
    const cache = await at.job();
    expect(await cache.look()).toEqual({ records: RECORDS, notices: [] });
    expect(cache.medium.contents.size).toBe(contents.length);
  }
});

describe('an archive with', () => {
  it.each([...ARCHIVES, ...CONTENTS])('%s is refused as a whole', async (_, entries, reason) => {
    expect(await lookAt({ tar: await tarOf(entries()) })).toEqual(said(reason));
  });
});

describe('an entry of work that was done in several iterations', () => {
  const mark = { fingerprint: OTHER, rework: { iteration: 2, base: FINGERPRINT, causes: ['review'] } };
  const last = [
    { ...started!, ...mark },
    { ...ended, ...mark },
  ] as const;
  const cause: EndedRecord = { ...ended, gate: 'review', files: [] };
  const { pipeline, subject, leg } = cause;
  const approval = { ...decidedRecord({ decision: 'approve' }), pipeline, subject, gate: 'review', leg, runNumber: 99 };

  it('has approvals of those ends, which may be of a later run', async () => {
    await using at = await cachePlace();
    const records = [...last, cause, approval] as const;
    await plant(at.service, { tar: await tarOf(withRecords(...records)) });
    expect(await (await at.job()).look()).toEqual({ records, notices: [] });
  });

  it('has the ends of the gates that sent it back, and is found under the fingerprint that it had before', async () => {
    await using at = await cachePlace();
    const records = [...last, cause];
    await plant(at.service, { tar: await tarOf(withRecords(...records)) });
    expect(await (await at.job()).look()).toEqual({ records, notices: [] });
  });

  it.each<Case>([
    ['a gate that sent nothing back', () => withRecords(...last, { ...cause, gate: 'deploy' }), /another gate/],
    ['another run', () => withRecords(...last, { ...cause, runNumber: 99 }), /another gate/],
    [
      'a gate, and another decision',
      () => withRecords(...last, cause, { ...approval, decision: 'reject' }),
      /another gate/,
    ],
    [
      'a gate, and an approval of another',
      () => withRecords(...last, cause, { ...approval, gate: 'x' }),
      /another gate/,
    ],
    ['another subject', () => withRecords(...last, { ...cause, subject: 'other' }), /another gate/],
  ])('is refused with the end of %s', async (_, entries, reason) => {
    expect(await lookAt({ tar: await tarOf(entries()) })).toEqual(said(reason));
  });
});

describe('an entry with', () => {
  it.each(RECORDS_AND_DOCUMENTS)('%s is refused', async (_, entries, reason) => {
    expect(await lookAt({ tar: await tarOf(entries()) })).toEqual(said(reason));
  });
});

describe('bytes that are', () => {
  const zeros = Buffer.alloc(64 * 1024 * 1024);

  it.each<[string, () => Promise<Buffer>, RegExp]>([
    ['nothing', async () => Buffer.alloc(0), /cannot be decompressed/],
    ['no archive', async () => Buffer.from('<html>no</html>'), /cannot be decompressed/],
    ['text in gzip', async () => gzipSync('no archive '.repeat(200)), NO_ARCHIVE],
    [
      'the first half of a sound entry',
      async () => half(await compressed(await tarOf(soundFiles()), 'gzip')),
      /cannot be decompressed/,
    ],
    [
      'half an archive, packed well',
      async () => gzipSync(half(await tarOf(soundFiles()))),
      /not a complete tar archive|is missing/,
    ],
    ['a zip', async () => Buffer.from('504b0506000000000000000000000000000000000000', 'hex'), /cannot be decompressed/],
    [
      'zstd under the version of gzip',
      async () => zstdCompressSync(await tarOf(soundFiles())),
      /cannot be decompressed/,
    ],
  ])('%s are no checkpoint', async (_, packed, reason) => {
    expect(await lookAt({ packed: await packed() })).toEqual(said(reason));
  });

  it.each([
    ['gzip', gzipSync(zeros)],
    ['zstd-without-long', zstdCompressSync(zeros)],
  ] as const)('a bomb of %s are given up at the limit', async (compression, packed) => {
    expect(packed.length).toBeLessThan(100_000);
    const notices = await lookAt({ packed }, { compression }, { maxBytes: 1024 * 1024 });
    expect(notices).toEqual(said(/unpacked, the entry has more than 1 MiB/));
  });

  it('a frame of zstd that asks for a gigabyte are refused before it gets it', async () => {
    // Magic number, a header with a window of 2^30 bytes and no size, an empty last block.
    const packed = Buffer.from('28b52ffd00a0010000', 'hex');
    expect(await lookAt({ packed }, { compression: 'zstd-without-long' })).toEqual(said(/cannot be decompressed/));
  });

  it.each(['gzip', 'zstd-without-long'] as const)('cut off from %s are no checkpoint', async (compression) => {
    const packed = half(await compressed(await tarOf(soundFiles()), compression));
    expect(await lookAt({ packed }, { compression })).toEqual(said(/cannot be decompressed|whole tar|no checkpoint/));
  });

  it('too many are not even downloaded to their end', async () => {
    const packed = Buffer.alloc(3 * 1024 * 1024, 1);
    expect(await lookAt({ packed }, {}, { maxBytes: 1024 * 1024 })).toEqual(
      said(/answered with more than 1,048,576 bytes/),
    );
  });

  it('said to be more than there are, in a header of the archive, are refused', async () => {
    const tar = await tarOf(soundFiles());
    // The size of the document, in octal, then the checksum of its header anew.
    const header = tar.subarray(512, 1024);
    header.write('77777777777', 124);
    header.fill(' ', 148, 156);
    header.write(
      `${header
        .reduce((sum, byte) => sum + byte, 0)
        .toString(8)
        .padStart(6, '0')}\0 `,
      148,
    );
    expect(await lookAt({ tar })).toEqual(said(NO_ARCHIVE));
  });

  it('anything at all never make it throw, and never count', async () => {
    await using at = await cachePlace();
    const sound = await tarOf(soundFiles());
    const cache = await at.job();
    const change = fc.record({ at: fc.nat(sound.length - 1), byte: fc.integer({ min: 0, max: 255 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 5 }), async (changes) => {
        const tar = Buffer.from(sound);
        for (const { at, byte } of changes) tar[at] = byte;
        at.service.evictCaches();
        await plant(at.service, { tar });
        const { records, notices } = await cache.look();
        // Owners, times and padding may be anything; they are not read. Records carry no signature: a digit of a
        // duration may be another one, and what is asked for may not.
        for (const record of records) expect(record).toMatchObject({ ...UNIT, fingerprint: FINGERPRINT });
        for (const [digest, bytes] of cache.medium.contents) expect(digestOf(bytes)).toBe(digest);
        expect(notices).toHaveLength(records.length > 0 ? 0 : 1);
      }),
      drawn(150),
    );
  });
});

function half(bytes: Buffer): Buffer {
  return bytes.subarray(0, Math.floor(bytes.length / 2));
}
