import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/json/json.ts';
import { createRedactor, findSecrets, redactPointers } from '../../src/untrusted/redact.ts';
import { apart, HARMLESS, IN_CONTEXT, PRIVATE_KEY, TOKENS } from './tokens.ts';

const none = createRedactor({});

/** Values with all that could break a search: syntax of patterns, quotes, spaces, other alphabets, line breaks. */
const ODD = [
  'correct horse "battery" \\staple/',
  "pa$$w.rd*+?^()[]{}|'-",
  'pässwörd 🔑 геслo',
  '<a href="x">&amp;</a>',
  'first line of it\nsecond line of it\n',
  'windows line\r\nanother line',
  'tab\tand \u0007bell',
  'ends with a \\',
];
const createOddRedactor = () => createRedactor(Object.fromEntries(ODD.map((value, index) => [`ODD_${index}`, value])));

describe('the value of a secret', () => {
  it.each(ODD)('is replaced in every spelling: %j', (value) => {
    const json = JSON.stringify(value).slice(1, -1);
    const url = encodeURIComponent(value);
    const ascii = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
    const forms = {
      plain: value,
      trimmed: value.trim(),
      json,
      'json in json': JSON.stringify(json).slice(1, -1),
      'json in ascii': json.replace(/[^\0-\x7e]/g, ascii),
      'json of PHP': json.replaceAll('/', '\\/'),
      url,
      'url, lower case': url.replace(/%../g, (code) => code.toLowerCase()),
      form: url.replaceAll('%20', '+'),
      'line feeds': value.replaceAll('\r\n', '\n'),
    };
    const redactor = createOddRedactor();
    for (const [name, form] of Object.entries(forms)) {
      expect([name, redactor.text(`<${form}>`)]).toEqual([name, '<***>']);
    }
    for (const line of value.split(/\r?\n/).filter(Boolean)) expect(redactor.text(`> ${line}\n`)).toBe('> ***\n');
  });

  it('is replaced in base64 of both alphabets, at any offset', () => {
    const value = fc.string({ minLength: 10, unit: 'binary' }).filter((text) => text.trim().length >= 10);
    fc.assert(
      fc.property(value, fc.string(), fc.string(), (secret, before, after) => {
        const { text } = createRedactor({ SECRET: secret });
        for (const encoding of ['base64', 'base64url'] as const) {
          const redacted = text(Buffer.from(before + secret + after).toString(encoding));
          const shown = Buffer.from(redacted.split('***')[0]!, 'base64');
          expect(redacted).toContain('***');
          expect(shown.length).toBeLessThanOrEqual(Buffer.byteLength(before) + 1);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('is replaced by the longest match if secrets overlap', () => {
    const { text } = createRedactor({ A: 'abcdefgh', B: 'abcdefghijkl', C: 'abcdefgh-2' });
    expect(text('abcdefghijkl abcdefgh abcdefgh-2 abcdefgh3')).toBe('*** *** *** ***3');
  });

  it('of less than 8 characters is replaced only as a whole word in shown text', () => {
    const short = createRedactor({ STAGE: ' dev\n', RETRIES: '100', EMPTY: ' ', X: 'x', LONG: 'longer..' });
    expect(short.shortSecrets).toEqual(['STAGE', 'RETRIES', 'X']);
    expect(short.text('dev developer 100 1000 x', 'shown')).toBe('*** developer *** 1000 x');
    expect(short.text('dev developer 100 1000')).toBe('dev developer 100 1000');
    const output = { score: 100, devices: ['developer tools', 'dev'] };
    expect(short.json(output)).toEqual({ value: output, redacted: [] });
  });

  it('never stays in any text', () => {
    const redactor = createOddRedactor();
    const part = fc.oneof(fc.constantFrom(...ODD, ...Object.values(TOKENS), PRIVATE_KEY, '***'), fc.string());
    fc.assert(
      fc.property(fc.array(part), fc.constantFrom(' ', '\n', '"', '=', '\\n'), (parts, between) => {
        const redacted = redactor.text(parts.join(between));
        for (const secret of [...ODD, ...Object.values(TOKENS), PRIVATE_KEY]) expect(redacted).not.toContain(secret);
        expect(redactor.text(redacted)).toBe(redacted);
      }),
      { examples: [[[ODD.at(-1)!, TOKENS['GitHub, in lower case']!], '\\n']] },
    );
  });
});

describe('a token of a known shape', () => {
  it.each(Object.entries(TOKENS))('is replaced: %s', (_, token) => {
    const around = [
      ['', ''],
      ['x=', ';'],
      ['"', '"'],
      ['\\n', '\\n'],
      ['%3D', '&'],
      ['(', ').'],
      ['é', ' '],
      ['\\u0022', ' and more'],
      ['', '...'],
    ];
    for (const [before, after] of around) expect(none.text(before + token + after)).toBe(`${before}***${after}`);
  });

  it.each(IN_CONTEXT)('is replaced in its context: %s', (text, secret) => {
    expect(none.text(text)).toBe(text.replace(secret, '***'));
  });

  it('is replaced as a private key: whole, escaped, indented, several, cut off', () => {
    const keys = [
      PRIVATE_KEY,
      JSON.stringify(PRIVATE_KEY).slice(1, -1),
      PRIVATE_KEY.replaceAll('\n', '\\\\n'),
      PRIVATE_KEY.replaceAll('\n', '\r\n    '),
      PRIVATE_KEY.replace('\n', '\nexample'),
    ];
    for (const key of keys) {
      expect(none.text(`a ${key} b ${key} c`)).toBe('a *** b *** c');
      expect(none.text(`${key.slice(0, 500)}"!"\n${key}`)).toBe('***"!"\n***');
    }
  });

  it.each(HARMLESS)('is not %j', (text) => {
    expect(none.text(`see ${text} there`)).toBe(`see ${text} there`);
  });

  it('is searched in linear time', () => {
    const parts = [
      'eyJ',
      '://a:',
      `${'-'.repeat(5)}BEGIN ${apart('PRIVATE', ' KEY')}-----\n`,
      'ghp_',
      'Bearer ',
      'sk-',
    ];
    for (const part of [...parts, '.', '"authorization":']) none.text(part.repeat(500_000 / part.length));
  });
});

describe('a JSON value', () => {
  const json = (value: JsonValue) => createRedactor({ TOKEN: 'hunter2-hunter2', PIN: ' 12345678' }).json(value);

  it('is redacted in strings, keys and whole numbers, and the pointers are listed', () => {
    const value = {
      a: [0, 'x hunter2-hunter2 y', { 'hunter2-hunter2': 1 }],
      pin: 12345678,
      text: '12345678',
      other: 123456789,
    };
    expect(json(value)).toEqual({
      value: { a: [0, 'x *** y', { '***': 1 }], pin: '***', text: '***', other: 123456789 },
      redacted: [
        { pointer: '/a/1', label: 'TOKEN' },
        { pointer: '/a/2', label: 'TOKEN' },
        { pointer: '/pin', label: 'PIN' },
        { pointer: '/text', label: 'PIN' },
      ],
    });
  });

  it('stays the same object if it has no secret', () => {
    const value = { a: [1, 'x', { b: null }] };
    expect(json(value).value).toBe(value);
  });

  it('says at most 100 places', () => {
    const { value, redacted } = json(Array.from({ length: 101 }, () => 'hunter2-hunter2'));
    expect([value, redacted.length]).toEqual([Array.from({ length: 101 }, () => '***'), 100]);
  });

  it('keeps every value when keys become equal, and a key `__proto__`', () => {
    const value = JSON.parse('{"hunter2-hunter2":1,"*** (2)":2,"***":3,"__proto__":{"x":"hunter2-hunter2"}}');
    expect(JSON.stringify(json(value as JsonValue).value)).toBe(
      '{"***":1,"*** (2)":2,"*** (3)":3,"__proto__":{"x":"***"}}',
    );
  });

  it('has no secret after redaction, and a second pass changes nothing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('hunter2-hunter2', TOKENS['npm']!), (value, secret) => {
        const { value: redacted } = json({ v: value, [secret]: [value, `a ${secret}`] } as JsonValue);
        expect(JSON.stringify(redacted)).not.toContain(secret);
        expect(json(redacted)).toEqual({ value: redacted, redacted: [] });
      }),
    );
  });

  it.each<readonly [JsonValue, readonly string[], JsonValue, readonly string[]]>([
    [{ a: 'x', b: 1 }, ['/a', '/b', '/c', '/a/b'], { a: '***', b: '***' }, ['x']],
    [{ a: { b: ['x', { c: 'y', e: null }] }, d: 'x' }, ['/a'], { a: '***', d: 'x' }, ['x', 'y']],
    [{ a: [{ t: 'x' }, { t: 'y' }] }, ['/a/1/t'], { a: [{ t: 'x' }, { t: '***' }] }, ['y']],
    [{ a: { b: 'x' } }, ['/a', '/a/b'], { a: '***' }, ['x', 'x']],
    ['x', [''], '***', ['x']],
  ])('%j loses what %j names', (value, pointers, redacted, texts) => {
    const before = structuredClone(value);
    const { value: result, secrets } = redactPointers(value, pointers);
    expect(result).toEqual(redacted);
    expect(Object.values(secrets)).toEqual(texts);
    expect(value).toEqual(before);
  });
});

describe('secrets of a file', () => {
  it('are listed with their lines, unless an earlier version has them', () => {
    const named = createRedactor({ TOKEN: 'hunter2-hunter2' });
    const npm = TOKENS['npm']!;
    const text = `a\nAuthorization: Bearer ${npm}\n${npm}\nb hunter2-hunter2`;
    const token = { line: 4, label: 'TOKEN' };
    expect(findSecrets(text, named)).toEqual([
      { line: 2, label: 'authorization' },
      { line: 3, label: 'npm token' },
      token,
    ]);
    expect(findSecrets(text, named, `// ${npm}`)).toEqual([token]);
    // A file may have a new name. The value of a variable is a fault in each file.
    expect(findSecrets(text, named, '', `${npm} hunter2-hunter2`)).toEqual([token]);
  });
});

describe('a stream', () => {
  const MULTILINE = 'ab\nsecond line of the secret\ncd\nfourth line of the secret\nef';
  const streaming = createRedactor({ S: 'hunter2 the second', M: MULTILINE, SHORT: 'abc' });
  const streamed = (text: string, sizes: readonly number[]): string => {
    const stream = streaming.createStream();
    let result = '';
    for (let at = 0, index = 0; at < text.length; at += sizes[index++ % sizes.length]!) {
      result += stream.push(text.slice(at, at + sizes[index % sizes.length]!));
    }
    return result + stream.end();
  };

  it('shows no secret however it is split, and all other text', () => {
    const part = fc.constantFrom(
      ...Object.values(TOKENS),
      PRIVATE_KEY,
      ...IN_CONTEXT.map(([text]) => text),
      ...HARMLESS,
      'hunter2 the second',
      '\n',
      '\r\n',
      ' abc ',
      'é',
    );
    const sizes = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(fc.array(part), sizes, (parts, pieces) => {
        const text = parts.join('\n');
        expect(streamed(text, pieces)).toBe(streaming.text(text, 'shown'));
      }),
      { numRuns: 300 },
    );
    for (const line of MULTILINE.split('\n').filter(({ length }) => length > 2)) {
      expect(streamed(MULTILINE, [7])).not.toContain(line);
    }
  });

  it('shows a line once it is complete, and redacts a private key at its end', () => {
    const stream = streaming.createStream();
    expect(stream.push('one\ntw')).toBe('one\n');
    expect(stream.push('o\n10%\r')).toBe('two\n10%\r');
    expect(stream.push(`${PRIVATE_KEY}\n${PRIVATE_KEY.slice(0, 400)}\n`)).toBe('***\n');
    expect(stream.push(`${PRIVATE_KEY.slice(400)}\nrest`)).toBe('***\n');
    expect([stream.end(), stream.end()]).toEqual(['rest', '']);
  });

  it('never splits a secret in an endless line, and buffers a limited amount', () => {
    for (const secret of ['hunter2 the second', TOKENS['GitHub, installation of 520 characters']!, IN_CONTEXT[8]![0]]) {
      // Also where a piece ends within the secret.
      for (const before of [119_990, ...Array.from({ length: 11 }, (_, count) => 100_000 + count * 397)]) {
        const text = `${'- '.repeat(before / 2)} ${secret} ${'- '.repeat(40_000)}`;
        expect(streamed(text, [30_000]).includes('***')).toBe(true);
        expect(streamed(text, [30_000])).toBe(streaming.text(text));
      }
    }
    for (const endless of ['x', 'eyJ', `${TOKENS['npm']!} `, PRIVATE_KEY.slice(0, 40), '://a:']) {
      const stream = streaming.createStream();
      for (let count = 0; count < 60; count += 1) stream.push(endless.repeat(10_000 / endless.length));
      expect(stream.end().length).toBeLessThan(140_000);
    }
  });
});
