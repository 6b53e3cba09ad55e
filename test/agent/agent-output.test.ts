import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AgentOutput, redactLines } from '../../src/agent/process/agent-output.ts';
import { CapturedText } from '../../src/agent/process/captured-text.ts';
import { createRedactor } from '../../src/untrusted/redact.ts';
import { testAttempt } from './attempt.ts';

const SECRET = ['correct', 'horse', 'battery', '42'].join('-');
const redactor = createRedactor({ secrets: { S: SECRET } });
const filters = {
  'with a stream': () => redactor.createStream(),
  'with a function only': () => redactLines(redactor.redactText),
};

/** What is kept and shown of bytes that come in pieces. */
function through(
  pieces: readonly (string | Uint8Array)[],
  limit = 1_000_000,
  filter = redactor.createStream(),
): { text: string; lines: string[] } {
  const lines: string[] = [];
  const output = new AgentOutput(limit, filter, (line) => lines.push(line));
  for (const piece of pieces) output.add(Buffer.from(piece as string));
  output.end();
  return { text: output.text(), lines };
}

describe.each(Object.entries(filters))('a secret never gets out, %s', (_, filter) => {
  it('wherever two pieces are parted', () => {
    const bytes = Buffer.from(`before ${SECRET} after\n`);
    for (let at = 0; at <= bytes.length; at += 1) {
      const { text, lines } = through([bytes.subarray(0, at), bytes.subarray(at)], 1_000, filter());
      expect(text).toBe('before *** after\n');
      expect(lines).toEqual(['before *** after']);
    }
  });

  it('in pieces of any size, with and without line breaks', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(SECRET, 'x', ' ', '\n', 'é', '\r')),
        fc.integer({ min: 1, max: 9 }),
        (parts, size) => {
          const bytes = Buffer.from(parts.join(''));
          const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_item, index) =>
            bytes.subarray(index * size, (index + 1) * size),
          );
          const { text, lines } = through(pieces, 1_000_000, filter());
          expect(text).toBe(redactor.redactText(parts.join('')));
          expect(lines.join('\n')).not.toContain(SECRET.slice(0, 12));
        },
      ),
    );
  });

  it('across the cut of a line that is too long to hold', () => {
    for (const before of [65_530, 131_070, 163_830, 200_000]) {
      const long = `${'a'.repeat(before)} ${SECRET} ${'b'.repeat(300_000)}`;
      const pieces = Array.from({ length: Math.ceil(long.length / 5_000) }, (_item, index) =>
        long.slice(index * 5_000, (index + 1) * 5_000),
      );
      const { text, lines } = through(pieces, 10_000_000, filter());
      expect(text).toBe(long.replace(SECRET, '***'));
      expect(lines.join('')).toBe(text);
    }
  });

  it('when colours were put into it', () => {
    const coloured = `${SECRET.slice(0, 5)}\x1b[31m${SECRET.slice(5, 9)}\x1b[0m\0${SECRET.slice(9)}`;
    expect(through([coloured, '\n'], 1_000, filter()).text).toBe('***\n');
  });
});

describe('what is shown', () => {
  it('has no escape sequences, wherever they are parted', () => {
    const bytes = Buffer.from(
      'a\x1b[1;31mred\x1b[0m \x1b]0;title\x07b \x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\ \x9b2Jc\x08d\n',
    );
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(through([bytes.subarray(0, at), bytes.subarray(at)]).lines).toEqual(['ared b link cd']);
    }
  });

  it('is whole lines: LF, CR LF and CR end one', () => {
    expect(through(['one\ntwo\r', '\nthree\r10%\r20%\n\nlast']).lines).toEqual([
      'one',
      'two',
      'three',
      '10%',
      '20%',
      '',
      'last',
    ]);
  });

  it('has U+FFFD for bytes that are no UTF-8, and whole characters where they were parted', () => {
    const euro = Buffer.from('€');
    expect(through([Buffer.from([0x61, 0xff, 0x62]), euro.subarray(0, 1), euro.subarray(1), '\n']).text).toBe(
      'a\ufffdb€\n',
    );
    expect(through([euro.subarray(0, 2)]).text).toBe('\ufffd');
  });

  it('comes in pieces when a line is endless', () => {
    const { lines } = through([`${'x'.repeat(100_000)}\n`]);
    expect(lines.join('')).toHaveLength(100_000);
    expect(Math.max(...lines.map((line) => line.length))).toBe(16_384);
  });

  it('does not vanish behind an escape sequence that never ends', () => {
    expect(through([`\x1b]0;${'x'.repeat(10_000)}`, 'y'.repeat(10_000), '\nend\n']).text).toContain('end');
  });
});

describe('what is kept', () => {
  it('is the beginning and the end, with the number of bytes left out', () => {
    const kept = new CapturedText(20);
    for (let index = 0; index < 100; index += 1) kept.add(`${index},`);
    expect(kept.toString()).toBe('0,1,2,3,4,\n[gateline: 270 bytes left out]\n,97,98,99,');
  });

  it('is everything when it fits, and never half a character', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), fc.integer({ min: 2, max: 60 }), (pieces, limit) => {
        const kept = new CapturedText(limit);
        for (const piece of pieces) kept.add(piece.toWellFormed());
        const whole = pieces.map((piece) => piece.toWellFormed()).join('');
        const text = kept.toString();
        const match = /^(.*)\n\[gateline: (\d+) bytes left out\]\n(.*)$/s.exec(text);
        const [, head, leftOut, tail] = match ?? ['', whole, '0', ''];
        if (match === null) expect(text).toBe(whole);
        expect(whole.startsWith(head) && whole.endsWith(tail)).toBe(true);
        const bytes = Buffer.byteLength(`${head}${tail}`);
        expect(bytes + Number(leftOut)).toBe(Buffer.byteLength(whole));
        if (match !== null) expect(bytes).toBeLessThanOrEqual(limit);
      }),
    );
  });
});

describe('a caller that fails', () => {
  it('gets its own error, and the agent is ended', async () => {
    await using attempt = await testAttempt();
    const onLine = (): never => {
      throw new Error('the screen broke');
    };
    await expect(attempt.run('echo x; exec sleep 600', { onLine })).rejects.toThrow('the screen broke');
  });
});
