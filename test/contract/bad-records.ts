import type { ReadProblem } from '../../src/run/records/reading.ts';
import type { GatelineRecord } from '../../src/run/records/record.ts';
import { decidedRecord } from './samples.ts';

const text = (value: unknown) => Buffer.from(JSON.stringify(value));

/** Kinds of bad records: what their bytes are, and the code that tells them apart. */
export const BAD_RECORDS: readonly [
  string,
  ReadProblem['code'],
  (record: GatelineRecord) => Uint8Array | 'unreadable',
][] = [
  ['empty', 'TRUNCATED', () => Buffer.alloc(0)],
  ['only white space', 'TRUNCATED', () => Buffer.from('\n  \n')],
  ['cut in the middle', 'TRUNCATED', (record) => text(record).subarray(0, 200)],
  ['cut before the last bracket', 'TRUNCATED', (record) => text(record).subarray(0, -1)],
  [
    'cut inside a character',
    'TRUNCATED',
    () => Buffer.from('{"format":"gateline-record/1","subject":"ä').subarray(0, -1),
  ],
  ['full of zero bytes', 'TRUNCATED', () => Buffer.alloc(512)],
  [
    'with a tail of zero bytes',
    'TRUNCATED',
    (record) => Buffer.concat([text(record).subarray(0, 100), Buffer.alloc(400)]),
  ],
  ['not JSON', 'CORRUPT', () => Buffer.from('<html>502 Bad Gateway</html>')],
  ['not UTF-8', 'CORRUPT', () => Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
  ['JSON, but no object', 'CORRUPT', () => Buffer.from('null')],
  ['two records in one', 'CORRUPT', (record) => Buffer.concat([text(record), text(record)])],
  [
    'with a key that is there twice',
    'CORRUPT',
    (record) => Buffer.from(JSON.stringify(record).replace(/}$/, ',"gate":"other"}')),
  ],
  [
    'with a key `__proto__`',
    'CORRUPT',
    (record) => Buffer.from(JSON.stringify(record).replace('{', '{"__proto__":{},')),
  ],
  ['after a byte order mark', 'CORRUPT', (record) => Buffer.concat([Buffer.from('\ufeff'), text(record)])],
  ['nested without end', 'CORRUPT', () => Buffer.from(`${'['.repeat(9_000)}${']'.repeat(9_000)}`)],
  ['of no format', 'CORRUPT', (record) => text({ ...record, format: undefined })],
  ['with a key that the format does not have', 'CORRUPT', (record) => text({ ...record, surprise: 1 })],
  ['with a value of the wrong type', 'CORRUPT', (record) => text({ ...record, n: '1' })],
  ['of a later format', 'UNKNOWN_VERSION', (record) => text({ ...record, format: 'gateline-record/3', whatever: {} })],
  ["another gate's", 'FOREIGN', (record) => text({ ...record, gate: 'review' })],
  ["another leg's", 'FOREIGN', (record) => text({ ...record, leg: 'chrome' })],
  ["another run's", 'FOREIGN', (record) => text({ ...record, runNumber: 7 })],
  ["another call's", 'FOREIGN', (record) => text({ ...record, runAttempt: 7 })],
  ["another attempt's", 'FOREIGN', (record) => text({ ...record, n: 7 })],
  ["another subject's", 'FOREIGN', (record) => text({ ...record, subject: 'pr-43' })],
  ["another pipeline's", 'FOREIGN', (record) => text({ ...record, pipeline: 'other' })],
  ['of another kind', 'FOREIGN', () => text(decidedRecord())],
  ['refused by the medium', 'UNREADABLE', () => 'unreadable'],
];
