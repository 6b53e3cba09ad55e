import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as escape from '../../src/untrusted/escape.ts';
import { ALL_HOSTILE, HOSTILE } from './hostile.ts';
import { LIVE, parseMarkdown } from './markdown.ts';

const { codeFence, forMarkdown, inlineCode, inlineCodeCell } = escape;
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
const PLAIN = new Set(['root', 'paragraph', 'text', 'inlineCode']);
const CELL = new Set([...PLAIN, 'table', 'tableRow', 'tableCell']);

/** Types of nodes that are not among the expected ones. */
function otherTypes(markdown: string, expected: ReadonlySet<string>): string[] {
  return [...parseMarkdown(markdown).types].filter((type) => !expected.has(type));
}

function expectHarmless(markdown: string, text: string): void {
  const { text: shown, prose } = parseMarkdown(markdown);
  expect(otherTypes(markdown, PLAIN)).toEqual([]);
  expect(prose).not.toMatch(LIVE);
  expect(markdown).not.toMatch(/<!--|<[a-z/!?]/i);
  expect(shown).toBe(escape.forTerminal(text).replace(/\s+/g, ' ').trim());
}

describe('text in Markdown', () => {
  it.each(Object.entries(HOSTILE))('has no live %s, and reads the same', (_, texts) => {
    expect(texts.length).toBeGreaterThanOrEqual(20);
    for (const text of texts) expectHarmless(forMarkdown(text), text);
  });

  it('has no effect, whatever it is', () => {
    fc.assert(
      fc.property(anyText, (text) => expectHarmless(forMarkdown(text), text)),
      { numRuns: 200 },
    );
  });

  it('has no effect after a paragraph, in a list item, in a heading, and in a cell', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(otherTypes(`before\n${forMarkdown(text)}\n`, PLAIN)).toEqual([]);
        expect(otherTypes(`- ${forMarkdown(text)}\n`, new Set([...PLAIN, 'list', 'listItem']))).toEqual([]);
        expect(otherTypes(`# ${forMarkdown(text)}\n`, new Set([...PLAIN, 'heading']))).toEqual([]);
        for (const cell of [forMarkdown(text), inlineCodeCell(text)]) {
          const row = `| a | b |\n| --- | --- |\n| ${cell} | last |\n`;
          const { root } = parseMarkdown(row);
          const [table] = root.children;
          expect(table?.type === 'table' && table.children[1]!.children.length).toBe(2);
          expect(otherTypes(row, CELL)).toEqual([]);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('stays readable where it is harmless', () => {
    const plain = 'All 12 tests passed (98.5 %), see src/a.ts:3.';
    expect(forMarkdown(plain)).toBe(plain);
    expect(forMarkdown('see https://example.com/a?b=1&c.')).toBe('see `https://example.com/a?b=1&c`.');
    expect(forMarkdown(' - www.a: https://b.c: www...\n')).toBe('&#45; `www.a`: `https://b.c`: www...');
    expect(forMarkdown('ping @octocat about #12')).toBe('ping @\u200boctocat about #\u200b12');
  });
});

describe('code in Markdown', () => {
  it('shows any text and nothing else, inline and in a fence', () => {
    fc.assert(
      fc.property(anyText, fc.string(), (text, lang) => {
        const inline = parseMarkdown(`x${inlineCode(text)}x`);
        expect(otherTypes(`x${inlineCode(text)}x`, PLAIN)).toEqual([]);
        expect(inline.text).toBe(`x${escape.forTerminal(text).replaceAll('\n', ' ')}x`);
        const fence = parseMarkdown(`before\n\n${codeFence(text, lang)}\nafter\n`);
        expect([...fence.types].sort()).toEqual(['code', 'paragraph', 'root', 'text']);
        const code = fence.root.children[1];
        expect(code?.type === 'code' && code.value.replaceAll('\u200b', '')).toBe(
          escape.forTerminal(text).replace(/\n$/, ''),
        );
      }),
      { numRuns: 100 },
    );
    const spans = ['a`b', '`', ' a', 'a ', ' ', ''].map((text) => inlineCode(text));
    expect(spans).toEqual(['``a`b``', '`` ` ``', '`  a `', '` a  `', '` `', '']);
    expect(inlineCodeCell('a\tb|c\\|d')).toBe('`a b\\|c\\\u200b\\|d`');
    expect(codeFence('```\n````\n')).toBe('`````\n```\n````\n`````\n');
    expect(codeFence('x', 'js"`><script>')).toBe('```jsscript\nx\n```\n');
  });

  it('never contains a forged marker in its source', () => {
    for (const safe of [inlineCode, codeFence, forMarkdown])
      expect(safe('a <!-- x --> https://x/<!--y')).not.toContain('<!--');
  });
});

describe('text on a terminal', () => {
  it.each([
    ['\x1b[31mred\x1b[0m', '␛[31mred␛[0m'],
    ['\x1b]8;;https://evil.example\x1b\\x', '␛]8;;https://evil.example␛\\x'],
    ['ok\rFAILED', 'ok␍FAILED'],
    ['a\x08b\x9b2J', 'a␈b<U+009B>2J'],
    ['\u202etxt.exe', '<U+202E>txt.exe'],
    ['a\u2066b\u2069\u200bc\ufeff', 'a<U+2066>b<U+2069><U+200B>c<U+FEFF>'],
    ['a\u200db é\u200db a\u200cé', 'a<U+200D>b é<U+200D>b a<U+200C>é'],
    ['\ud800\u{e0041}\0\x7f', '\ufffd<U+E0041>␀␡'],
    ['one\r\ntwo\n\tthree', 'one\ntwo\n\tthree'],
    ['👩\u200d💻 क\u094d\u200dष é می\u200cخواهم', '👩\u200d💻 क\u094d\u200dष é می\u200cخواهم'],
  ])('%j', (text, shown) => {
    expect(escape.forTerminal(text)).toBe(shown);
  });

  it('has no control characters but tab and line feed, and a second pass changes nothing', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const shown = escape.forTerminal(text);
        expect([...shown].filter((char) => /\p{Cc}|\p{Cs}/u.test(char) && !'\n\t'.includes(char))).toEqual([]);
        expect(escape.forTerminal(shown)).toBe(shown);
      }),
    );
  });
});

describe('text in other targets', () => {
  it('stays text in HTML and in attributes', () => {
    expect(escape.forHtml(`<b title="x" id='y'>&amp;\u202e`)).toBe(
      '&lt;b title=&quot;x&quot; id=&#39;y&#39;&gt;&amp;amp;&lt;U+202E&gt;',
    );
  });

  it('neither ends nor starts a workflow command', () => {
    const text = '100%\r\n::set-output name=x::y\r::error::z';
    expect(escape.forCommandMessage(text)).toBe('100%25%0A::set-output name=x::y␍::error::z');
    expect(escape.forCommandProperty('a,b:c\n%0A')).toBe('a%2Cb%3Ac%0A%250A');
  });

  it('stays one word of a shell command', () => {
    expect(escape.shellWord('src/a-b.ts')).toBe('src/a-b.ts');
    expect(escape.shellWord("it's $(x)")).toBe(`'it'\\''s $(x)'`);
    expect(['', 'a b', '; x'].map((text) => escape.shellWord(text))).toEqual(["''", "'a b'", "'; x'"]);
  });

  it('is cut at bytes in whole characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(60), (text, max) => {
        const cut = escape.truncateBytes(text, max);
        const [next = ''] = text.slice(cut.length);
        expect(text.startsWith(cut)).toBe(true);
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(max);
        if (next !== '') expect(Buffer.byteLength(cut + next)).toBeGreaterThan(max);
      }),
    );
    expect([0, 3, 4, 5].map((max) => escape.truncateBytes('👍x', max))).toEqual(['', '', '👍', '👍x']);
  });

  it('takes linear time', () => {
    for (const part of ['https://a.b....', '.', '`', '<!--', '@', 'GH-']) {
      forMarkdown(`www.x${part.repeat(100_000)}`);
      inlineCode(part.repeat(100_000));
    }
  });
});
