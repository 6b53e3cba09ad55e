import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestOf, type Digest } from '../../../../src/json/digest.ts';
import {
  asText,
  formatDocument,
  MAX_DOCUMENT_BYTES,
  parseDocument,
} from '../../../../src/store/github/records/artifact-document.ts';
import { decidedRecord, endedRecord, startedRecord } from '../../../contract/samples.ts';

const text = (value: unknown) => Buffer.from(JSON.stringify(value));
const sound = { format: 'gateline-artifact/1', record: startedRecord(), contents: {} };

describe("the document of a record's artifact", () => {
  it('holds the record and its texts, and gives them back just so', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array().map((bytes) => asText(bytes) ?? '\ufeff\u0000"\\ \u2028')), (texts) => {
        const contents = new Map(texts.map((one): [Digest, string] => [digestOf(one), one]));
        for (const record of [startedRecord(), endedRecord(), decidedRecord({ subject: '\ud800 "' })])
          expect(parseDocument(formatDocument(record, contents))).toEqual({ record, contents, altered: [] });
      }),
    );
  });

  it('is read by people: indented, with a line break at its end', () => {
    const lines = Buffer.from(formatDocument(startedRecord(), new Map())).toString('utf8').split('\n');
    expect(lines[1]).toBe('  "format": "gateline-artifact/1",');
    expect(lines.at(-1)).toBe('');
  });

  it('gives a text only under its own digest, and says which ones are altered', () => {
    const right = digestOf('right');
    const document = { ...sound, contents: { [right]: 'wrong', [digestOf('other')]: 'other' } };
    expect(parseDocument(text(document))).toMatchObject({
      record: startedRecord(),
      contents: new Map([[digestOf('other'), 'other']]),
      altered: [right],
    });
  });

  it.each<[string, Uint8Array, string]>([
    ['nothing', Buffer.alloc(0), 'TRUNCATED'],
    ['half of itself', text(sound).subarray(0, 300), 'TRUNCATED'],
    ['a record without a document', text(startedRecord()), 'CORRUPT'],
    ['a document without a record', text({ ...sound, record: undefined }), 'CORRUPT'],
    ['a document without contents', text({ ...sound, contents: undefined }), 'CORRUPT'],
    ['a key too many', text({ ...sound, extra: 1 }), 'CORRUPT'],
    ['a list', text([sound]), 'CORRUPT'],
    ['contents in a list', text({ ...sound, contents: ['x'] }), 'CORRUPT'],
    ['a content that is no text', text({ ...sound, contents: { [digestOf('1')]: 1 } }), 'CORRUPT'],
    ['a content named by no digest', text({ ...sound, contents: { '../../etc/passwd': 'x' } }), 'CORRUPT'],
    [
      'a content under a digest in capitals',
      text({ ...sound, contents: { [digestOf('x').toUpperCase()]: 'x' } }),
      'CORRUPT',
    ],
    ['another format', text({ ...sound, format: 'zip' }), 'CORRUPT'],
    ['a later format', text({ ...sound, format: 'gateline-artifact/2' }), 'UNKNOWN_VERSION'],
    [
      'a later format of the record',
      text({ ...sound, record: { ...startedRecord(), format: 'gateline-record/9' } }),
      'UNKNOWN_VERSION',
    ],
    ['a key `__proto__`', Buffer.from(JSON.stringify(sound).replace('{', '{"__proto__":{"polluted":1},')), 'CORRUPT'],
    [
      'a key `__proto__` in the record',
      Buffer.from(JSON.stringify(sound).replace('"record":{', '"record":{"__proto__":{"n":9},')),
      'CORRUPT',
    ],
    [
      'a key `constructor` in the record',
      text({ ...sound, record: { ...startedRecord(), constructor: { n: 9 } } }),
      'CORRUPT',
    ],
    ['a page of a proxy', Buffer.from('<html>502</html>'), 'CORRUPT'],
    ['JSON 1,000 deep', text({ ...sound, record: JSON.parse(`${'['.repeat(1_000)}${']'.repeat(1_000)}`) }), 'CORRUPT'],
    ['JSON 200,000 deep', Buffer.from(`${'['.repeat(200_000)}${']'.repeat(200_000)}`), 'CORRUPT'],
    ['a zip', Buffer.from('PK\x03\x04'), 'CORRUPT'],
    ['more bytes than any record has', Buffer.alloc(MAX_DOCUMENT_BYTES + 1, ' '), 'CORRUPT'],
  ])('that is %s is told by its code', (_, bytes, code) => {
    expect(parseDocument(bytes)).toMatchObject({ fault: { code } });
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it('never throws, whatever the bytes', () => {
    fc.assert(fc.property(fc.uint8Array(), (bytes) => void parseDocument(bytes)));
    fc.assert(fc.property(fc.json(), (json) => void parseDocument(Buffer.from(json))));
  });

  it('is not written where nobody could read it', () => {
    const change = (index: number) => ({ path: `${index}`.padEnd(4_000, 'x'), before: null, after: null });
    const files = Array.from({ length: 10_000 }, (_, index) => change(index));
    expect(() => formatDocument(endedRecord({ files, touched: files }), new Map())).toThrow(
      expect.objectContaining({ code: 'RECORD_TOO_LARGE' }),
    );
  });
});
