import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/json/json.ts';
import { createRedactor } from '../../src/untrusted/redact.ts';
import { HARMLESS, IN_CONTEXT, PRIVATE_KEY, TOKENS } from './tokens.ts';
import { drawn } from '../support/samples.ts';

const none = createRedactor({ secrets: {} });
const redactorOf = (...values: string[]) =>
  createRedactor({ secrets: Object.fromEntries(values.map((value, index) => [`S${index}`, value])) });
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Values with all that could break a search: syntax of patterns, quotes, spaces, other alphabets, line breaks. */
const ODD = [
  'correct horse "battery" \\staple/',
  "pa$$w.rd*+?^()[]{}|'",
  'pässwörd 🔑 геслo',
  '<a href="x">&amp;</a>',
  'first line of it\nsecond line of it\n',
  'windows line\r\nanother line',
  'tab\tand \u0007bell',
];

describe('a named secret is masked', () => {
  it.each(ODD)('in every form: %j', (value) => {
    const { redactText } = redactorOf(value);
    const escaped = JSON.stringify(value).slice(1, -1);
    const forms = {
      plain: value,
      trimmed: value.trim(),
      json: escaped,
      'json in json': JSON.stringify(escaped).slice(1, -1),
      'json in ascii': escaped.replace(
        /[^\0-\x7e]/g,
        (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
      ),
      'json of PHP': escaped.replaceAll('/', '\\/'),
      percent: encodeURIComponent(value),
      'percent, lower case': encodeURIComponent(value).replace(/%../g, (code) => code.toLowerCase()),
      'percent, strict': encodeURIComponent(value).replace(
        /[!'()*]/g,
        (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
      ),
      form: new URLSearchParams({ v: value }).toString().slice(2),
    };
    for (const [name, form] of Object.entries(forms)) expect([name, redactText(`<${form}>`)]).toEqual([name, '<***>']);
  });

  it('in base64, whatever stands beside it, in both alphabets', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 8, unit: 'binary' }), fc.string(), fc.string(), (value, before, after) => {
        fc.pre(Buffer.byteLength(value.trim()) >= 8);
        const { redactText } = redactorOf(value);
        for (const encoding of ['base64', 'base64url'] as const) {
          const text = redactText(Buffer.from(before + value + after).toString(encoding));
          const shown = Buffer.from(text.split('***')[0]!, 'base64').toString('latin1');
          expect(text).toContain('***');
          expect(shown.length).toBeLessThanOrEqual(Buffer.byteLength(before));
        }
      }),
    );
  });

  it('in base64 that is broken into lines', () => {
    const value = Array.from({ length: 60 }, (_, index) => `part ${index * 37}`).join(';');
    const lines = base64(`${value}\n`).replace(/.{76}/g, '$&\n');
    expect(redactorOf(value).redactText(lines)).toMatch(/^(?:\*\*\*\n?)+[A-Za-z0-9+/=]{0,4}\n?$/);
  });

  it('line by line, when it has several', () => {
    const { redactText } = redactorOf(PRIVATE_KEY);
    for (const line of PRIVATE_KEY.split('\n').filter((one) => /^\w{6}/.test(one)))
      expect(redactText(`x ${line} y`)).toBe('x *** y');
    expect(redactText(PRIVATE_KEY.replaceAll('\n', '\r\n  '))).not.toMatch(/\w{8}/);
  });

  it('in part, when a long one was cut', () => {
    const value = Array.from({ length: 100 }, (_, index) => String(index * 7919)).join('-');
    expect(redactorOf(value).redactText(value.slice(0, 300))).toMatch(/^\*\*\*.{0,172}$/);
  });

  it('where several overlap or touch: as one', () => {
    expect(redactorOf('abcdef', 'defghi').redactText('<abcdefghi>')).toBe('<***>');
    expect(redactorOf('abcdef', 'abcdefghi', 'cd3').redactText('abcdefghi abcdef abcdefabcdef')).toBe('*** *** ***');
    expect(redactorOf('aaa').redactText('aaaaaaa')).toBe('***');
  });

  it('unless it is shorter than three characters, which is told', () => {
    const redactor = createRedactor({ secrets: { EMPTY: '', TWO: 'ab', THREE: 'abc' } });
    expect(redactor.tooShort).toEqual(['EMPTY', 'TWO']);
    expect(redactor.redactText('ab abc')).toBe('ab ***');
  });

  it('and found under its name', () => {
    const redactor = createRedactor({ secrets: { TOKEN: 'hunter2' } });
    expect(redactor.find(`a hunter2 ${TOKENS['npm']!}`)).toEqual([
      { name: 'TOKEN', from: 2, start: 2, end: 9 },
      { name: 'npm-token', from: 10, start: 10, end: 50 },
    ]);
  });
});

describe('a token of known shape is masked', () => {
  it.each(Object.entries(TOKENS))('%s', (_, token) => {
    for (const [before, after] of [
      ['', ''],
      ['x=', ';'],
      ['"', '"'],
      ['\\n', '\\n'],
      ['%3D', '&'],
      ['(', ').'],
      ['\u00e9', ' '],
    ] as const) {
      expect(none.redactText(`${before}${token}${after}`)).toBe(`${before}***${after}`);
    }
  });

  it.each(IN_CONTEXT)('%s', (text, secret) => {
    expect(none.redactText(text)).toBe(text.replace(secret, '***'));
  });

  it('a private key: whole, escaped, indented, several, cut off', () => {
    const keys = [
      PRIVATE_KEY,
      JSON.stringify(PRIVATE_KEY).slice(1, -1),
      PRIVATE_KEY.replaceAll('\n', '\\\\n'),
      PRIVATE_KEY.replaceAll('\n', '\r\n'),
      PRIVATE_KEY.replaceAll('\n', '\n    '),
    ];
    for (const key of keys) {
      expect(none.redactText(`a ${key} b`)).toBe('a *** b');
      expect(none.redactText(`${key}\n!\n${key}`)).toBe('***\n!\n***');
      expect(none.redactText(`${key.slice(0, 500)}\n"!"`)).toBe('***\n"!"');
    }
  });

  it('and nothing else is', () => {
    for (const text of HARMLESS) expect(none.redactText(`see ${text} there`)).toBe(`see ${text} there`);
  });
});

/** Texts full of secrets and of what could become one. */
const parts = fc.array(
  fc.oneof(
    fc.constantFrom(
      ...Object.values(TOKENS),
      PRIVATE_KEY,
      ...IN_CONTEXT.map(([text]) => text),
      ...HARMLESS,
      ...ODD,
      'x***',
      '***',
      '**',
      'aaa',
      'aa',
    ),
    fc.string({ maxLength: 4 }),
    fc.constantFrom('\n', ' ', '"'),
  ),
);

describe('redaction', () => {
  const redactor = redactorOf(...ODD, 'aaa', '***', 'b***', '12345');

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(parts, (list) => {
        const once = redactor.redactText(list.join(''));
        expect(redactor.redactText(once)).toBe(once);
      }),
      drawn(500),
    );
  });

  it('leaves no secret in any text', () => {
    fc.assert(
      fc.property(parts, fc.constantFrom(' ', '\n', '"', '=', '\\n'), (list, between) => {
        const redacted = redactor.redactText(list.join(between));
        for (const secret of [...ODD, 'aaa', ...Object.values(TOKENS), PRIVATE_KEY])
          expect(redacted).not.toContain(secret);
      }),
      drawn(500),
    );
  });

  it('leaves text without secrets as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        fc.pre(none.find(text).length === 0);
        expect(none.redactText(text)).toBe(text);
      }),
    );
  });
});

describe('a JSON value', () => {
  const { redactJson } = createRedactor({ secrets: { A: 'hunter2', PIN: '123456', RATE: '1.5e3' } });

  it('loses secrets in strings, keys and numbers, at any depth', () => {
    const value = { a: ['x hunter2 y', { hunter2: 1 }], n: 123456, r: 1500, other: 1234567, t: true, z: null };
    expect(redactJson(value)).toEqual({
      changed: true,
      value: { a: ['x *** y', { '***': 1 }], n: '***', r: '***', other: 1234567, t: true, z: null },
    });
  });

  it('is the very same when there is none', () => {
    const value = { a: [1, 'x', { b: null }] };
    expect(redactJson(value)).toEqual({ changed: false, value });
    expect(redactJson(value).value).toBe(value);
  });

  it('keeps every value when keys become one, in order', () => {
    const value = { hunter2: 1, '***': 2, hunter2hunter2: 3, '*** (2)': 4, b: 5 };
    const redacted = redactJson(value).value as Record<string, number>;
    expect(Object.entries(redacted)).toEqual([
      ['*** (3)', 1],
      ['***', 2],
      ['*** (4)', 3],
      ['*** (2)', 4],
      ['b', 5],
    ]);
  });

  it('may be nested deeper than any stack and have a key __proto__', () => {
    let deep: JsonValue = 'hunter2';
    for (let depth = 0; depth < 200_000; depth += 1) deep = depth % 2 === 0 ? [deep] : { k: deep };
    expect(redactJson(deep).changed).toBe(true);
    const parsed = JSON.parse('{"__proto__": {"x": "hunter2"}}') as JsonValue;
    expect(JSON.stringify(redactJson(parsed).value)).toBe('{"__proto__":{"x":"***"}}');
  });

  it('holds no secret as text either, and changes nothing the second time', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('hunter2', TOKENS['GitHub, personal']!), (value, secret) => {
        const redacted = redactJson({ v: value, [secret]: [value, secret] } as JsonValue);
        expect(JSON.stringify(redacted.value)).not.toContain(secret);
        expect(redactJson(redacted.value)).toEqual({ changed: false, value: redacted.value });
      }),
    );
  });
});
