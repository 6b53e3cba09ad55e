import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/untrusted/redact.ts';
import { apart, HARMLESS, IN_CONTEXT, PRIVATE_KEY, TOKENS } from './tokens.ts';
import { drawn } from '../support/samples.ts';

const MULTILINE = 'ab\nsecond line of the secret\ncd\nfourth line of the secret\nef';
const redactor = createRedactor({ secrets: { S: 'hunter2 the second', M: MULTILINE } });

function streamed(text: string, sizes: readonly number[]): string[] {
  const stream = redactor.createStream();
  const pieces: string[] = [];
  for (let at = 0, index = 0; at < text.length; index += 1) {
    const size = sizes[index % sizes.length]!;
    pieces.push(stream.push(text.slice(at, at + size)));
    at += size;
  }
  return [...pieces, stream.flush()];
}

describe('a redacted stream', () => {
  it('gives what the whole text would, however it is split', () => {
    const part = fc.constantFrom(
      ...Object.values(TOKENS),
      PRIVATE_KEY,
      PRIVATE_KEY.slice(0, 300),
      ...IN_CONTEXT.map(([text]) => text),
      ...HARMLESS,
      MULTILINE,
      MULTILINE.slice(0, 30),
      'hunter2 the second',
      '\n',
      '\r\n',
      ' ',
      'x',
      'é',
    );
    const text = fc.array(part).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 5 }), (whole, sizes) => {
        expect(streamed(whole, sizes).join('')).toBe(redactor.redactText(whole));
      }),
      drawn(500),
    );
  });

  it('gives a line as soon as it is whole', () => {
    const stream = redactor.createStream();
    expect(stream.push('one\ntw')).toBe('one\n');
    expect(stream.push('o\n')).toBe('two\n');
    expect(stream.push('10%\r')).toBe('10%\r');
    expect([stream.push('rest'), stream.flush(), stream.flush()]).toEqual(['', 'rest', '']);
  });

  it('holds a secret of several lines, and a key, until it is through', () => {
    const stream = redactor.createStream();
    expect(stream.push('x\nab\nsecond line of the secret\ncd\n')).toBe('x\n');
    expect(stream.push('no\n')).toBe('ab\n***\ncd\nno\n');
    expect(stream.push(`key:\n${PRIVATE_KEY.slice(0, 400)}\n`)).toBe('key:\n');
    expect(stream.push(`${PRIVATE_KEY.slice(400)}\nafter\n`)).toBe('***\nafter\n');
  });

  it('splits no secret in a line that never ends', () => {
    for (const secret of [
      'hunter2 the second',
      TOKENS['GitHub, installation of 520 characters']!,
      TOKENS['JWT']!,
      IN_CONTEXT[8]![0],
    ]) {
      // Of the first four pieces, the last 16,384 characters are held back.
      const cut = 4 * 30_000 - 16_384;
      for (let before = cut - secret.length - 8; before < cut + 8; before += Math.ceil(secret.length / 12)) {
        const text = `${'- '.repeat(before).slice(0, before - 1)} ${secret} ${'- '.repeat(10_000)}`;
        expect(streamed(text, [30_000]).join('')).toBe(redactor.redactText(text));
      }
    }
  });

  it('masks a token that is longer than it holds, and goes on after it', () => {
    const text = `a ${TOKENS['GitHub, personal']!.repeat(10_000)} b`;
    expect(streamed(text, [10_000]).join('')).toBe('a *** b');
  });

  it('holds a bounded amount, whatever comes', () => {
    for (const endless of [
      'x',
      '- ',
      'eyJ',
      `${TOKENS['npm']!} `,
      PRIVATE_KEY.slice(0, 40),
      '://a:',
      'ab\n',
      `${'-'.repeat(5)}BEGIN ${apart('PRIVATE', ' KEY')}${'-'.repeat(5)}\n`,
    ]) {
      const stream = redactor.createStream();
      let given = 0;
      for (let count = 0; count < 100; count += 1)
        given += stream.push(endless.repeat(Math.ceil(10_000 / endless.length))).length;
      expect(stream.flush().length).toBeLessThan(140_000);
      expect(given).toBeGreaterThan(0);
    }
  });
});
