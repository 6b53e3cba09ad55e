import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { widthOf, wrapLines, wrapWords } from '../../src/report/text.ts';

describe('text for a narrow terminal', () => {
  it('is broken between words, and goes on further in', () => {
    expect(wrapLines('one two three\n  four five six seven\nshort', 11)).toBe(
      'one two\n  three\n  four five\n    six\n    seven\nshort',
    );
    expect(wrapLines('one two three', 0)).toBe('one two three');
  });

  it('keeps a command in backticks whole, and a word that is wider than the terminal', () => {
    expect(wrapWords('Run `gateline run --gate a` (or `b c`), then look', 20)).toEqual([
      'Run',
      '`gateline run --gate a`',
      '(or `b c`), then',
      'look',
    ]);
    expect(wrapWords('a `b c', 3)).toEqual(['a', '`b', 'c']);
    expect(wrapWords('see /a/very/long/path now', 8, { cut: true })).toEqual(['see', '/a/very…', 'now']);
  });

  it('counts columns, not characters', () => {
    expect(wrapWords('漢字 漢字 ab', 7)).toEqual(['漢字', '漢字 ab']);
  });

  it('never begins a line with what the runner of GitHub obeys', () => {
    const word = fc.constantFrom('::error::x', '::x', 'word', '`::a b`', '::');
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1 }),
        fc.integer({ min: 1, max: 20 }),
        fc.boolean(),
        (words, width, cut) => {
          const lines = wrapWords(['first', ...words].join(' '), width, { further: '  ', cut });
          for (const line of lines) expect(line).not.toMatch(/^\s*::/);
          if (cut) for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
        },
      ),
    );
  });
});
