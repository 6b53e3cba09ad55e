import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { extractJson } from '../../src/json/extract-json.ts';
import { parseJson, type JsonLimits, type ParsedJson } from '../../src/json/parse-json.ts';

const parse = (text: string, limits?: JsonLimits): ParsedJson => parseJson(new TextEncoder().encode(text), limits);

function problem(text: string, limits?: JsonLimits) {
  const parsed = parse(text, limits);
  if (parsed.ok) throw new Error(`was read: ${text.slice(0, 80)}`);
  return parsed;
}

describe('valid JSON', () => {
  it('parses to the value of JSON.parse', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 1, '\t'), (json, indent) => {
        const text = JSON.stringify(JSON.parse(json), null, indent);
        expect(parse(text)).toMatchObject({ ok: true });
        expect(parse(`\ufeff${text}`)).toHaveProperty('value', JSON.parse(text));
      }),
    );
  });

  it('keeps keys such as `__proto__` and `constructor` as data', () => {
    const parsed = parse('{"__proto__":{"polluted":1},"constructor":2,"hasOwnProperty":3}');
    expect(parsed.ok && Object.keys(parsed.value as object)).toEqual(['__proto__', 'constructor', 'hasOwnProperty']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('has a notice for whole numbers that lose digits', () => {
    const more = Array.from({ length: 9 }, () => '1e300').join();
    const parsed = parse(`{"id":9007199254740993,"ok":9007199254740991,"half":1.5,"more":[${more}]}`);
    expect(parsed.ok && parsed.notices.map(({ pointer }) => pointer)).toEqual([
      '/id',
      ...[0, 1, 2, 3].map((index) => `/more/${index}`),
      undefined,
    ]);
    expect(parsed.ok && parsed.notices.at(-1)!.message).toMatch(/^5 more/);
  });
});

describe('a document that is not JSON', () => {
  it.each([
    ['', 'missing', 'is empty'],
    [' \n\t', 'missing', 'is empty'],
    ['```json\n{"a":1}\n```', 'malformed', 'a Markdown fence is around the JSON (line 1, column 1)'],
    ['Here is it:\n```json\n{}\n```', 'malformed', 'prose is before the JSON (line 1, column 1)'],
    ['{"a":1}\n```', 'malformed', 'a Markdown fence follows the JSON value (line 2, column 1)'],
    ['{"a":1}\n\nI hope this helps!', 'malformed', 'text follows the JSON value (line 3, column 1)'],
    ['{"a":1}\n{"a":2}', 'malformed', 'a second JSON value follows the first (line 2, column 1)'],
    ['{"a":NaN}', 'malformed', 'JSON has no NaN, Infinity and undefined: write null (line 1, column 6)'],
    ['[-Infinity]', 'malformed', 'Infinity'],
    ['undefined', 'malformed', 'undefined: write null (line 1, column 1)'],
    ['{"a":\n True}', 'malformed', 'this is Python: write null, true or false (line 2, column 2)'],
    ["{'a':1}", 'malformed', 'keys and strings are written in `"` (line 1, column 2)'],
    ['{“a”:1}', 'malformed', 'keys and strings are written in `"` (line 1, column 2)'],
    ['{"a":1,\n}', 'malformed', 'JSON has no trailing commas (line 2, column 1)'],
    ['[1,]', 'malformed', 'JSON has no trailing commas (line 1, column 4)'],
    ['{\n  // x\n}', 'malformed', 'JSON has no comments (line 2, column 3)'],
    ['{"a" 1}', 'malformed', "Expected ':' after property name (line 1, column 6)"],
    ['{"a":1 "b":2}', 'malformed', '(line 1, column 8)'],
    ['[1,2', 'malformed', '(line 1, column 5)'],
    ['{"a":', 'malformed', 'Unexpected end of JSON input (line 1, column 6)'],
    ['["a', 'malformed', 'Unterminated string (line 1, column 4)'],
    ['"a\nb"', 'malformed', 'Bad control character in string literal (line 1, column 3)'],
    ['[01]', 'malformed', 'Unexpected number (line 1, column 3)'],
    ['{"a":1e999}', 'malformed', 'does not fit into a double'],
  ])('%j is %s: %s', (text, kind, message) => {
    expect(problem(text)).toMatchObject({ kind, message: expect.stringContaining(message) as string });
    expect(problem(text).advice).toMatch(/^Write .*\.$/);
  });

  it('is not quoted in the message, since it may hold secrets', () => {
    const text = `{"${'a'.repeat(60)}":hunter2-hunter2, "b":"${'f'.repeat(30)}"}`;
    expect(problem(text).message).toBe("Unexpected token 'h' (line 1, column 65)");
    expect(problem(`[${'1,'.repeat(600_000)}x]`).message).toBe("Unexpected token 'x'");
  });

  it('never makes the parser throw, and its error has a position', () => {
    const soup = fc.array(fc.constantFrom(...'{}[],:"\\a1-.e \n`NT', 'true', 'null', '\\u00', '🔑'));
    fc.assert(
      fc.property(soup, (parts) => {
        const text = parts.join('');
        let isValid = true;
        try {
          JSON.parse(text);
        } catch {
          isValid = false;
        }
        const parsed = parse(text);
        expect(parsed.ok).toBe(isValid);
        if (!parsed.ok && parsed.kind === 'malformed') expect(parsed.message).toMatch(/\(line \d+, column \d+\)$/);
      }),
      { numRuns: 500 },
    );
    fc.assert(fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => void parseJson(bytes)));
  });

  it('gives the position of bytes that are not UTF-8, and how PowerShell writes UTF-8', () => {
    const parsed = parseJson(new Uint8Array([...new TextEncoder().encode('{\n"é":"'), 0xe9, 0x22, 0x7d]));
    expect(parsed).toMatchObject({ kind: 'malformed', message: 'a byte is not UTF-8 (line 2, column 6)' });
    const utf16 = parseJson(new Uint8Array([0xff, 0xfe, 0x7b, 0, 0x7d, 0]));
    expect(!utf16.ok && utf16.advice).toContain('-Encoding utf8');
  });

  it('is rejected if it has too many bytes or nests too deep', () => {
    expect(parse('[1,2,3]', { maxBytes: 7 })).toMatchObject({ ok: true });
    expect(problem('[1,2,3]', { maxBytes: 6 })).toMatchObject({ kind: 'too-large' });
    expect(problem(`[${'1,'.repeat(1_000_000)}1]`)).toMatchObject({ kind: 'too-large' });
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(parse(nested(200))).toMatchObject({ ok: true });
    for (const text of [nested(201), nested(100_000), '{"a":'.repeat(100_000)]) {
      expect(problem(text)).toMatchObject({ kind: 'too-large' });
    }
    expect(parse(`"${'['.repeat(1_000)}\\"${'{'.repeat(1_000)}"`)).toMatchObject({ ok: true });
  });
});

describe('extract: json', () => {
  it.each([
    ['Here it is:\n```json\n{"a": [1]}\n```\nDone.', '{"a": [1]}'],
    ['~~~\n[1]\n~~~', '[1]'],
    ['Run:\n```sh\nls {a,b}\n```\nResult:\n````json\r\n{"a":"```"}\r\n````\n', '{"a":"```"}'],
    ['See [1]:\n```json\n{}\n```', '{}'],
    ['The result {"a":"}{","b":"\\"]"} has 5" of {prose} around it.', '{"a":"}{","b":"\\"]"}'],
    ['I\'m done: [{"a":1}]', '[{"a":1}]'],
  ])('takes the value out of %j', (text, json) => {
    expect(extractJson(text)).toEqual({ json });
  });

  it.each([
    ['no value', 'only 5 and "text"'],
    ['two values', '{"a":1} and {"b":2}'],
    ['two fences', '```\n{}\n```\n```\n[]\n```'],
    ['a value that is cut off, whatever is inside', 'Result: {"a": {"b": 1}, "c": [1'],
    ['a broken value, whatever is inside', 'Result: {"a": {"b": 1},}'],
  ])('fails for %s', (_, text) => {
    expect(extractJson(text)).toEqual({ problem: expect.stringContaining('exactly one') as string });
  });

  it('takes linear time', () => {
    for (const part of ['[', '{"', '```\n', '```x\n', '[]{', '"\\']) extractJson(part.repeat(500_000));
    expect(extractJson(' '.repeat(17 * 1024 * 1024))).toHaveProperty('problem');
  });
});
