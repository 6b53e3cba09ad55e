import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findJsonError } from '../../src/json/json-scan.ts';
import { parseJson, type JsonLimits, type ParsedJson } from '../../src/json/parse-json.ts';
import { drawn } from '../support/samples.ts';

const read = (text: string, limits?: JsonLimits): ParsedJson => parseJson(new TextEncoder().encode(text), limits);

function refusal(text: string): { kind: string; message: string; pointer: string | undefined; advice: string } {
  const parsed = read(text);
  if (parsed.ok) throw new Error(`was read: ${text.slice(0, 80)}`);
  return { kind: parsed.kind, message: parsed.issue.message, pointer: parsed.issue.pointer, advice: parsed.advice };
}

describe('sound JSON', () => {
  it('is read as JSON.parse reads it', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 1, '\t'), (text, indent) => {
        const value: unknown = JSON.parse(text);
        const parsed = read(JSON.stringify(value, null, indent));
        // What JSON.parse takes and this refuses has its own tests.
        fc.pre(!text.includes('__proto__'));
        expect(parsed).toMatchObject({ ok: true });
        expect(parsed.ok && parsed.value).toEqual(value);
      }),
    );
  });

  it('may begin with a byte order mark', () => {
    expect(read('\ufeff{"a":1}')).toMatchObject({ ok: true, value: { a: 1 } });
  });

  it('keeps keys that every object seems to have as plain data', () => {
    const parsed = read('{"constructor":{"prototype":1},"toString":2,"hasOwnProperty":3}');
    expect(parsed.ok && Object.entries(parsed.value as object)).toEqual([
      ['constructor', { prototype: 1 }],
      ['toString', 2],
      ['hasOwnProperty', 3],
    ]);
  });

  it('with whole numbers that lose digits is read with notices', () => {
    const parsed = read(
      `{"id":9007199254740993,"ok":9007199254740991,"more":[${Array.from({ length: 9 }, () => '1e300').join()}]}`,
    );
    if (!parsed.ok) throw new Error('refused');
    expect(parsed.notices).toHaveLength(6);
    expect(parsed.notices[0]).toMatchObject({ severity: 'notice', pointer: '/id' });
    expect(parsed.notices.at(-1)!.message).toMatch(/^5 more/);
  });
});

describe('any bytes', () => {
  const soup = fc.array(
    fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '\\',
      'a',
      '1',
      '-',
      '.',
      'e',
      ' ',
      '\n',
      'true',
      'null',
      '\u00e9',
      '\\u00',
      '`',
    ),
  );

  it('never make it throw', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => void parseJson(bytes)));
    fc.assert(
      fc.property(soup, (parts) => void read(parts.join(''))),
      drawn(2_000),
    );
  });

  it('that JSON.parse refuses are refused, with a place', () => {
    fc.assert(
      fc.property(soup, (parts) => {
        const text = parts.join('');
        let sound = true;
        try {
          JSON.parse(text);
        } catch {
          sound = false;
        }
        expect(findJsonError(text) === undefined).toBe(sound);
        const parsed = read(text);
        if (!sound) expect(parsed).toMatchObject({ ok: false });
        if (!sound && !parsed.ok && parsed.kind === 'malformed')
          expect(parsed.issue.message).toMatch(/line \d+, column \d+/);
      }),
      drawn(2_000),
    );
  });
});

describe('what is refused', () => {
  it.each(['', ' \n\t', '\ufeff'])('nothing at all, as missing: %j', (text) => {
    expect(refusal(text).kind).toBe('missing');
  });

  it.each([
    ['```json\n{"a":1}\n```', 'starts with a Markdown fence; write the bare JSON value (line 1, column 1: "```json")'],
    ['Here is the result:\n\n```json\n{}\n```', 'starts with prose and contains a Markdown fence'],
    ['{"a":1}\n```', 'a Markdown fence follows the JSON value (line 2, column 1'],
    ['{"a":1}\n\nI hope this helps!', 'the JSON value has ended, and something follows it (line 3, column 1'],
    ['{"a":1}\n{"a":2}', 'a second JSON value follows the first (line 2, column 1'],
  ])('what language models write around JSON: %j', (text, message) => {
    const found = refusal(text);
    expect(found).toMatchObject({ kind: 'malformed', message: expect.stringContaining(message) as string });
    expect(found.advice).toMatch(/^Write (?:the bare JSON value|one value)/);
  });

  it.each([
    ['{"a":NaN}', 'JSON has no `NaN`', 'line 1, column 6'],
    ['[-Infinity]', 'JSON has no `Infinity`', 'line 1, column 2'],
    ['{"a":True}', '`True` is Python', 'line 1, column 6'],
    ["{'a':1}", 'double quotes', 'line 1, column 2'],
    ['{“a”:1}', 'typographic quotes', 'line 1, column 2'],
    ['{"a":1,\n}', 'trailing commas', 'line 1, column 7'],
    ['{\n  // x\n}', 'no comments', 'line 2, column 3'],
    ['{"a" 1}', 'a `:` is expected', 'line 1, column 6'],
    ['{"a":1 "b":2}', 'a `,` or the closing bracket', 'line 1, column 8'],
    ['{a:1}', 'key in double quotes', 'line 1, column 2'],
    ['[1,2', 'ends too early', 'line 1, column 5'],
    ['["a', 'does not end', 'line 1, column 2'],
    ['"a\nb"', 'control character', 'line 1, column 3'],
    ['"\\x"', 'backslash', 'line 1, column 2'],
    ['[01]', 'cannot begin with 0', 'line 1, column 2'],
    ['[1.]', 'not a JSON number', 'line 1, column 2'],
  ])('%s, with what is wrong and where', (text, what, where) => {
    const found = refusal(text);
    expect(found.kind).toBe('malformed');
    expect(found.message).toContain(what);
    expect(found.message).toContain(where);
  });

  it.each([
    ['{"a":{"b":1,"\\u0062":2}}', '/a/b'],
    ['[{"x":1},{"y":{"x":1},"y":2}]', '/1/y'],
    ['{"a/b":1,"a/b":1}', '/a~1b'],
  ])('a key that is given twice: %s', (text, pointer) => {
    expect(refusal(text)).toMatchObject({
      kind: 'malformed',
      pointer,
      message: expect.stringContaining('twice') as string,
    });
  });

  it.each([
    ['{"a":[{"__proto__":{"polluted":true}}]}', '/a/0/__proto__'],
    ['{"\\u005f_proto__":1}', '/__proto__'],
    ['{"a":["\\ud800"]}', '/a/0'],
    ['{"a":{"\\udc00x":1}}', '/a/\ufffdx'],
    ['[1,1e999]', '/1'],
  ])('what has no canonical form or is a trap: %s', (text, pointer) => {
    expect(refusal(text)).toMatchObject({ kind: 'malformed', pointer });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('bytes that are not UTF-8, with the place', () => {
    const bytes = new Uint8Array([...new TextEncoder().encode('{\n"a":"'), 0xe9, 0x22, 0x7d]);
    const parsed = parseJson(bytes);
    expect(!parsed.ok && parsed.issue.message).toBe('byte 0xe9 is not UTF-8 at line 2, byte 6');
    const utf16 = parseJson(new Uint8Array([0xff, 0xfe, 0x7b, 0, 0x7d, 0]));
    expect(!utf16.ok && utf16.advice).toContain('-Encoding utf8');
  });

  it('more bytes than are allowed', () => {
    expect(read('[1,2,3]', { maxBytes: 6 })).toMatchObject({ ok: false, kind: 'too-large' });
    expect(read('[1,2,3]', { maxBytes: 7 })).toMatchObject({ ok: true });
  });

  it('deeper nesting than is allowed, however deep', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(read(nested(200))).toMatchObject({ ok: true });
    expect(read(nested(201))).toMatchObject({ ok: false, kind: 'too-large' });
    for (const text of [nested(100_000), '['.repeat(1_000_000), '{"a":'.repeat(100_000)]) {
      expect(read(text)).toMatchObject({ ok: false, kind: 'too-large' });
    }
    expect(read(`"${'['.repeat(1_000)}\\"${'{'.repeat(1_000)}"`)).toMatchObject({ ok: true });
    expect(findJsonError(nested(100_000))).toBeUndefined();
  });

  it('long texts without running out of stack', () => {
    const long = 'x'.repeat(20_000_000);
    expect(refusal(`{"a":"${long}`).message).toContain('does not end');
    expect(refusal(`{"a":"${long}","a":1}`).pointer).toBe('/a');
  });
});
