import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanEntry, DOCUMENT_LIMITS, entriesOf, withEntries, withoutEntry } from '../../src/memory/entries.ts';
import { learningsIn } from '../../src/memory/learnings.ts';
import { drawn } from '../support/samples.ts';

const PATTERNS = `# Learned patterns

For everybody.

## Error handling
- Wrap async calls
- Log before throwing

Text after the list.

## Code style

- [x] Early returns
`;

describe('a document', () => {
  it('has the items of its lists as entries, under the heading above them', () => {
    expect(entriesOf(PATTERNS).map(({ category, text, line }) => [category, text, line])).toEqual([
      ['Error handling', 'Wrap async calls', 6],
      ['Error handling', 'Log before throwing', 7],
      ['Code style', 'Early returns', 13],
    ]);
  });

  it('gains entries at the end of their category, and keeps everything else', () => {
    const { document, added, known, left } = withEntries(PATTERNS, 'x', [
      { category: 'error  HANDLING', text: 'Name the file' },
      { category: 'Error handling', text: ' wrap ASYNC  calls ' },
      { category: 'Tests', text: 'Use real clients' },
    ]);
    const expected = PATTERNS.replace('- Log before throwing\n', '- Log before throwing\n- Name the file\n');
    expect(document).toBe(`${expected}\n## Tests\n\n- Use real clients\n`);
    expect([added.length, known, left]).toEqual([2, 1, []]);
    expect(withEntries('', 'Learned patterns', [{ category: 'A', text: 'b' }]).document).toBe(
      '# Learned patterns\n\n## A\n\n- b\n',
    );
    expect(withEntries('# T\n\n## A\n', 'x', [{ category: 'a', text: 'b' }]).document).toBe('# T\n\n## A\n\n- b\n');
  });

  it('loses one entry by its id, and nothing else', () => {
    const { id } = entriesOf(PATTERNS)[1]!;
    expect(withoutEntry(PATTERNS, id)).toBe(PATTERNS.replace('- Log before throwing\n', ''));
    const windows = PATTERNS.replaceAll('\n', '\r\n');
    expect(withoutEntry(windows, id)).toBe(windows.replace('- Log before throwing\r\n', ''));
    expect(withoutEntry(PATTERNS, '00000000')).toBeUndefined();
  });

  it('has bounds, and names what does not fit', () => {
    const many = Array.from({ length: 600 }, (_, at) => ({ category: 'A', text: `entry ${at}` }));
    const filled = withEntries('', 'T', many);
    expect([filled.added.length, filled.left.length]).toEqual([DOCUMENT_LIMITS.entries, 100]);
    const large = Array.from({ length: 100 }, (_, at) => ({ category: 'A', text: `${at}${'x'.repeat(2_000)}` }));
    const full = withEntries('', 'T', large);
    expect(Buffer.byteLength(full.document)).toBeLessThanOrEqual(DOCUMENT_LIMITS.bytes);
    expect(full.left.length).toBeGreaterThan(30);
  });

  it('stays a list of entries, whatever is added, and the same when that is added again', () => {
    const mark = fc.constantFrom('[x] ', '[ ]', '# ', ' #', '- ', '> ', '<!--', '\u200b', '\r', 'C');
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: mark, maxLength: 6 }));
    const entry = fc.record({ category: text, text });
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 8 }), (entries) => {
        const { document, added } = withEntries(PATTERNS, 'x', entries);
        const all = entriesOf(document);
        expect(all).toHaveLength(3 + added.length);
        for (const one of added) expect(all.map(({ text }) => text)).toContain(one.text);
        const again = withEntries(document, 'x', entries);
        expect([again.document, again.added]).toEqual([document, []]);
      }),
      drawn(500),
    );
  });
});

describe('learnings', () => {
  const plain = (text: string): [string, string][] => learningsIn(text).map((one) => [one.category, one.text]);

  it('are items of lists, JSON, or paragraphs, each once', () => {
    expect(plain('## Tests\n- One\n- one\n* Two\n')).toEqual([
      ['Tests', 'One'],
      ['Tests', 'Two'],
    ]);
    expect(plain('["One", {"category": "Tests", "text": "Two"}, {"text": "Three"}]')).toEqual([
      ['Learnings', 'One'],
      ['Tests', 'Two'],
      ['Learnings', 'Three'],
    ]);
    expect(plain('{"learnings": ["One"]}')).toEqual([['Learnings', 'One']]);
    expect(plain('# Title\n\nThe cache\nis slow.\n\nSo is git.\n')).toEqual([
      ['Learnings', 'The cache is slow.'],
      ['Learnings', 'So is git.'],
    ]);
    expect(plain('{"other": 1}')).toEqual([['Learnings', '{"other": 1}']]);
    expect(plain(' \n')).toEqual([]);
  });

  it('are the same when they are read again, whatever marks they begin or end with', () => {
    for (const one of [
      { text: '[x] Done' },
      { category: 'C #', text: 'One' },
      { category: 'C#', text: '[ ] - > Two' },
    ]) {
      const { document } = withEntries('', 'x', learningsIn(JSON.stringify([one])));
      expect(withEntries(document, 'x', learningsIn(JSON.stringify([one]))), document).toMatchObject({ added: [] });
    }
    expect(plain('[{"category": "C#", "text": "[x] Done"}]')).toEqual([['C#', 'Done']]);
  });

  it('are read in no time, also lines of a megabyte', () => {
    const blank = ' '.repeat(1_000_000);
    for (const line of [`## a${blank}b`, `-${blank}a\rb`, `- [x]${blank}\r`]) {
      const begin = process.cpuUsage();
      learningsIn(line);
      withEntries(`# x\n${blank}b\n`, 'x', [{ category: 'y', text: line }]);
      // A search that begins again at each blank would take many minutes.
      expect(process.cpuUsage(begin).user / 1_000, line.slice(0, 5)).toBeLessThan(2_000);
    }
  });

  it('are single lines, which hide nothing', () => {
    expect(cleanEntry({ category: '## A\nB', text: '- x\r\n## y <!-- z\u202e\u0007' })).toEqual({
      category: 'A B',
      text: 'x ## y &lt;!-- z',
    });
    expect(cleanEntry({ category: '', text: ' - ' })).toBeUndefined();
  });
});
