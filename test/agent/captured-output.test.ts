import { describe, expect, it } from 'vitest';
import { CapturedOutput } from '../../src/agent/captured-output.ts';
import { createRedactor } from '../../src/untrusted/redact.ts';
import { testAttempt } from './attempt.ts';

const SECRET = 'correct-horse-battery-staple';
const KEY = `-----BEGIN PRIVATE KEY-----\n${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n'.repeat(4)}-----END PRIVATE KEY-----\n`;
const redactor = createRedactor({ SECRET, LINES: 'line1\nline2' });

function capture(chunks: readonly (string | Uint8Array)[]) {
  const lines: string[] = [];
  const output = new CapturedOutput(redactor, (line) => lines.push(line));
  for (const chunk of chunks) output.add(Buffer.from(chunk));
  return { text: output.end(), lines };
}

describe('output of an agent', () => {
  it.each([
    ['lines', ['a\nb', 'c\n', '\nd'], 'a\nbc\n\nd', ['a', 'bc', '', 'd']],
    ['line ends of other systems', ['a\r', '\nb\rc\r\n'], 'a\nb\nc\n', ['a', 'b', 'c']],
    [
      'colours, links and control characters',
      ['\x1b[31mred\x1b[0m \x1b]8;;http://x\x07y\x1b]8;;\x07\0\b\t.\n'],
      'red y\t.\n',
      ['red y\t.'],
    ],
    [
      'bytes that are not UTF-8',
      [Buffer.from([0x61, 0xff, 0xc3]), Buffer.from([0xbc, 0x0a, 0xf0, 0x9f])],
      'a\ufffdü\n\ufffd',
      ['a\ufffdü', '\ufffd'],
    ],
    ['a secret across chunks', [...`x${SECRET}y\n`], 'x***y\n', ['x***y']],
    ['a secret across colours', [`${SECRET.slice(0, 9)}\x1b[1m${SECRET.slice(9)}`], '***', ['***']],
    ['a secret of several lines', ['line1\nline2\n'], '***\n', ['***']],
    ['one that arrives in pieces, in what is kept', ['line1\n', 'line2\n'], '***\n', ['line1', 'line2']],
    ['a private key in pieces', KEY.split(/(?<=\n)/), '***\n', ['***']],
  ])('is kept and shown: %s', (_, chunks, text, lines) => {
    expect(capture(chunks)).toEqual({ text, lines });
  });

  it('hides secrets in a line of megabytes, wherever it is cut', () => {
    for (const shift of [0, 5, 13, 27]) {
      const line = 'x'.repeat(shift) + `${'y'.repeat(1_000)}${SECRET}`.repeat(3_000);
      const chunks = Array.from({ length: Math.ceil(line.length / 65_536) }, (_, n) =>
        line.slice(n * 65_536, (n + 1) * 65_536),
      );
      const { text, lines } = capture(chunks);
      expect(lines.join('')).toBe(redactor.text(line));
      expect(text).not.toContain(SECRET.slice(0, 12));
      expect(text.length).toBeLessThan(1_100_000);
    }
  });

  it('keeps the start and the end of a long one, with a note about the part between', () => {
    const all = Array.from({ length: 400_000 }, (_, n) => `line ${n}\n`);
    const { text, lines } = capture([all.slice(0, 200_000).join(''), all.slice(200_000).join('')]);
    expect(lines).toHaveLength(400_000);
    const [head = '', count, tail = ''] = text.split(/\n\[gateline: (\d+) characters left out\]\n/);
    expect(all.join('').startsWith(head)).toBe(true);
    expect(all.join('').endsWith(tail)).toBe(true);
    expect(head.length + Number(count) + tail.length).toBe(all.join('').length);
    expect([head.at(-1), /^line \d+\n/.test(tail), text.length > 1_000_000, text.length < 1_050_000]).toEqual([
      '\n',
      true,
      true,
      true,
    ]);
  });

  it('of 20 MB of random bytes is captured in limited memory', async () => {
    await using attempt = await testAttempt();
    const result = await attempt.run('head -c 10000000 /dev/zero; head -c 10000000 /dev/urandom >&2; echo end >&2');
    expect(result).toMatchObject({ outcome: 'exited', exitCode: 0, stdout: '' });
    expect(result.stderr.endsWith('end\n')).toBe(true);
    expect(result.stderr.length).toBeLessThan(1_100_000);
  });

  it('is redacted in the result and in each line', async () => {
    await using attempt = await testAttempt();
    const lines: string[] = [];
    const command = `printf '%s' ${SECRET.slice(0, 8)}; sleep 0.05; echo ${SECRET.slice(8)}; echo ${SECRET} >&2`;
    const result = await attempt.run(command, { redactor, onLine: (stream, line) => lines.push(`${stream} ${line}`) });
    expect(result).toMatchObject({ stdout: '***\n', stderr: '***\n' });
    expect(lines.sort()).toEqual(['stderr ***', 'stdout ***']);
  });
});
