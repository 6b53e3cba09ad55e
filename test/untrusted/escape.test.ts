import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  codeFence,
  forMarkdown,
  forMarkdownCell,
  forMermaid,
  forTerminal,
  inlineCode,
  inlineCodeCell,
  truncateBytes,
} from '../../src/untrusted/escape.ts';
import { showUnseen } from '../../src/json/visible.ts';
import { ALL_HOSTILE, HOSTILE } from './hostile.ts';
import { LIVE, seen } from './markdown.ts';
import { drawn } from '../support/samples.ts';

/** Any text, and texts put together from what has a meaning. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(
      fc.oneof(
        fc.constantFrom(...ALL_HOSTILE),
        fc.constantFrom(...Array.from('\\`*_[]()<>&$~|#@!-+=:.1a \n\t"\'')),
        fc.string({ maxLength: 3 }),
      ),
    )
    .map((parts) => parts.join('')),
);
const oneLine = (text: string): string => showUnseen(text).replace(/\s+/g, ' ').trim();
const PLAIN = ['root', 'paragraph', 'text', 'inlineCode'];

function expectHarmless(markdown: string, text: string): void {
  const { types, text: shown, prose } = seen(markdown);
  expect([...types].filter((type) => !PLAIN.includes(type))).toEqual([]);
  expect(prose).not.toMatch(LIVE);
  expect(markdown).not.toMatch(/<!--|<[a-z/!?]/i);
  expect(shown).toBe(oneLine(text));
}

describe('forMarkdown', () => {
  it.each(Object.entries(HOSTILE))('takes the life out of %s and shows the same text', (_, texts) => {
    expect(texts.length).toBeGreaterThanOrEqual(20);
    for (const text of texts) expectHarmless(forMarkdown(text), text);
  });

  it('does so for any text', () => {
    fc.assert(
      fc.property(anyText, (text) => expectHarmless(forMarkdown(text), text)),
      drawn(2_000),
    );
  });

  it('also after a paragraph, in a list item and in a heading', () => {
    const places = { paragraph: ['before\n', ''], list: ['- ', ''], heading: ['# ', ''] } as const;
    fc.assert(
      fc.property(anyText, fc.constantFrom(...(Object.keys(places) as (keyof typeof places)[])), (text, place) => {
        const { types } = seen(`${places[place][0]}${forMarkdown(text)}\n`);
        expect(
          [...types].filter(
            (type) => ![...PLAIN, ...(place === 'heading' ? ['heading'] : []), 'list', 'listItem'].includes(type),
          ),
        ).toEqual([]);
        if (place === 'paragraph') expect(types).not.toContain('list');
      }),
      drawn(1_000),
    );
  });

  it('reads well where there is nothing to fear', () => {
    expect(forMarkdown('All 12 tests passed (98.5 %), see src/a.ts:3.')).toBe(
      'All 12 tests passed (98.5 %), see src/a.ts:3.',
    );
    expect(forMarkdown('see https://example.com/a?b=1&c.')).toBe('see `https://example.com/a?b=1&c`.');
    expect(forMarkdown('ping @octocat about #12')).toBe('ping @\u200boctocat about #\u200b12');
  });
});

describe('in a cell of a table', () => {
  const row = (cell: string): string => `| a | b |\n| --- | --- |\n| ${cell} | last |\n`;
  const cells = (cell: string) => {
    const table = seen(row(cell)).root.children[0];
    return table?.type === 'table'
      ? table.children[1]!.children.map(
          (one) => seen(row(cell).slice(one.position!.start.offset, one.position!.end.offset)).text,
        )
      : [];
  };

  it('text stays in its cell', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { types, text: all } = seen(row(forMarkdownCell(text)));
        expect(cells(forMarkdownCell(text))).toHaveLength(2);
        expect([...types].filter((type) => ![...PLAIN, 'table', 'tableRow', 'tableCell'].includes(type))).toEqual([]);
        expect(all).toBe(`ab${oneLine(text)}last`);
      }),
      drawn(1_000),
    );
  });

  it('code stays in its cell', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { types, text: all } = seen(row(inlineCodeCell(text)));
        expect(cells(inlineCodeCell(text))).toHaveLength(2);
        expect(
          [...types].filter((type) => !['root', 'text', 'inlineCode', 'table', 'tableRow', 'tableCell'].includes(type)),
        ).toEqual([]);
        const shown = showUnseen(text).replace(/[\n\t]/g, ' ');
        if (shown.trim() !== '') expect(all).toBe(`ab${shown}last`);
      }),
      drawn(1_000),
    );
  });
});

describe('code', () => {
  it('inline shows any text and nothing else', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const shown = showUnseen(text).replaceAll('\n', ' ');
        const { types, text: all } = seen(`x${inlineCode(text)}x`);
        expect([...types].filter((type) => !PLAIN.includes(type))).toEqual([]);
        expect(all).toBe(`x${shown}x`);
      }),
      drawn(1_000),
    );
  });

  it('fenced shows any text and nothing else, whatever fences are in it', () => {
    fc.assert(
      fc.property(anyText, fc.string(), (text, lang) => {
        const { root, types } = seen(`before\n\n${codeFence(text, lang)}\nafter\n`);
        expect([...types].sort()).toEqual(['code', 'paragraph', 'root', 'text']);
        const code = root.children[1];
        expect(code?.type === 'code' && code.value.replaceAll('\u200b', '')).toBe(showUnseen(text).replace(/\n$/, ''));
      }),
      drawn(1_000),
    );
    expect(codeFence('```\n````\n')).toBe('`````\n```\n````\n`````\n');
    expect(codeFence('x', 'js"`><script>')).toBe('```jsscript\nx\n```\n');
  });

  it('holds no marker that a search in the source would find', () => {
    for (const safe of [inlineCode, codeFence, forMarkdown])
      expect(safe('a <!-- gateline --> https://x/<!--y')).not.toContain('<!--');
  });
});

describe('forTerminal', () => {
  it.each([
    ['\x1b[31mred\x1b[0m', '␛[31mred␛[0m'],
    ['\x1b]0;title\x07', '␛]0;title␇'],
    ['\x1b]8;;https://evil.example\x1b\\x', '␛]8;;https://evil.example␛\\x'],
    ['ok\rFAILED', 'ok␍FAILED'],
    ['a\x08b', 'a␈b'],
    ['\x9b2J', '<U+009B>2J'],
    ['\u202etxt.exe', '<U+202E>txt.exe'],
    ['a\u2066b\u2069', 'a<U+2066>b<U+2069>'],
    ['a\u200bb\ufeff', 'a<U+200B>b<U+FEFF>'],
    ['a\u200db', 'a<U+200D>b'],
    ['\ud800', '\ufffd'],
    ['\u{e0041}', '<U+E0041>'],
    ['\0\x7f', '␀␡'],
    ['one\r\ntwo\n\tthree', 'one\ntwo\n\tthree'],
    ['👩\u200d💻 क\u094d\u200dष é', '👩\u200d💻 क\u094d\u200dष é'],
  ])('%j', (text, shown) => {
    expect(forTerminal(text)).toBe(shown);
  });

  it('leaves no control character but tab and line feed, and does not change what it made', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const shown = forTerminal(text);
        expect([...shown].filter((char) => /\p{Cc}|\p{Cs}/u.test(char) && !'\n\t'.includes(char))).toEqual([]);
        expect(forTerminal(shown)).toBe(shown);
      }),
    );
  });
});

describe('forMermaid', () => {
  it('is one quoted label without syntax, from which the text can be told', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const label = forMermaid(text);
        expect(label).toMatch(/^"(?:[\p{L}\p{M}\p{N} .,_-]|#\d+;)+"$/u);
        const back = label.slice(1, -1).replace(/#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));
        expect(back.trim()).toBe(oneLine(text));
      }),
    );
    expect(forMermaid('a"]; click a "javascript:x"')).toBe('"a#34;#93;#59; click a #34;javascript#58;x#34;"');
  });
});

describe('truncateBytes', () => {
  it('gives the longest beginning that fits, in whole characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(60), (text, max) => {
        const cut = truncateBytes(text, max);
        const rest = Array.from(text.slice(cut.length));
        expect(text.startsWith(cut)).toBe(true);
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(max);
        if (rest.length > 0) expect(Buffer.byteLength(cut + rest[0]!)).toBeGreaterThan(max);
      }),
    );
    expect([0, 3, 4, 5].map((max) => truncateBytes('👍x', max))).toEqual(['', '', '👍', '👍x']);
  });
});
