import { describe, expect, it } from 'vitest';
import { addItems, itemId, itemIds, newItems, readLearnings } from '../../src/run/memory.ts';

const linesOf = (text: string) => readLearnings(text).map((item) => `${item.heading}: ${item.text}`);
const learned = (text: string, heading = 'Learnings') => ({ heading, text });

describe('what an agent learned', () => {
  it.each([
    ['each item of its lists', '- one\n* two\r\n+ three\n4. four\n-five', ['one', 'two', 'three']],
    ['an item of a task list', '- [ ] one\n- [x] two\n- [X] three\n- [y] four', ['one', 'two', 'three', '[y] four']],
    [
      'each paragraph without a list',
      'First line\nof it.\n\n# Title\n\n \n\nSecond.',
      ['First line of it.', 'Second.'],
    ],
    [
      'no item without words',
      '- \n- <!-- learned 0123456789ab -->\n- > # *\n- a <!-- learned 0123456789ab --> b',
      ['a  b'],
    ],
    ['no syntax', '- > # **bold** <!-- x -->\u202e', ['bold** &lt;!-- x --><U+202E>']],
    ['at most 1,000 characters of an item', `- ${'x'.repeat(1_001)}`, [`${'x'.repeat(999)}…`]],
    ['at most 50 items', '- x\n'.repeat(51), Array.from({ length: 50 }, () => 'x')],
  ])('is %s', (_, text, items) => {
    expect(linesOf(text)).toEqual(items.map((item) => `Learnings: ${item.replace(/ {2}/, ' ')}`));
  });

  it('has the heading above it, and not the title', () => {
    const text = `# Title\n- a\n## Tests \n- b\n### Fast ones\n- c\n##\n- d\n## ${'h'.repeat(90)}\n- e\n## >\n- f`;
    expect(linesOf(text)).toEqual([
      'Learnings: a',
      'Tests: b',
      'Fast ones: c',
      'Fast ones: d',
      `${'h'.repeat(79)}…: e`,
      'Learnings: f',
    ]);
  });

  it('is new if no item has its words, in any case, spacing and form of letters', () => {
    const document = '- Use  fixtures\n- edited <!-- learned 0123456789ab -->\n';
    const items = ['use ﬁxtures', 'Mock nothing', 'mock NOTHING'].map((text) => learned(text));
    expect(newItems(items, document)).toEqual([items[1]]);
    expect(itemId(learned(' use fixtures'))).toMatch(/^[0-9a-f]{12}$/);
    expect([...itemIds(document)]).toEqual([itemId(items[0]!), itemId(learned('edited')), '0123456789ab']);
  });
});

describe('a document', () => {
  const before = '# Patterns\n\n## Tests\n- a\n\n\n## Other\n- b';

  it.each([
    ['at the end of its section', [learned('c', 'tests')], before.replace('- a', '- a\n- c')],
    ['at the end of the last section', [learned('c', 'Other')], `${before}\n- c`],
    ['in a new section', [learned('c', 'New')], `${before}\n\n## New\n- c`],
    ['not again', [learned('A', 'New'), learned('b', 'New')], before],
  ])('gets an item %s', (_, items, after) => {
    expect(addItems(`${before}\n\n`, items)).toBe(`${after}\n`);
    expect(addItems(before.replaceAll('\n', '\r\n'), items)).toBe(`${after}\n`);
  });

  it('gets items with a mark, and with a note by which they are known after an edit', () => {
    const note = ` <!-- learned ${itemId(learned('c'))} -->`;
    expect(addItems('', [learned('c')], '[x] ', true)).toBe(`\n\n## Learnings\n- [x] c${note}\n`);
  });

  it('does not grow beyond 256 KiB', () => {
    const items = [learned('c'), learned('d')];
    const size = 256 * 1_024 - '- c'.length;
    expect(addItems('x'.repeat(size), items)).toBe(`${'x'.repeat(size)}\n\n## Learnings\n- c\n`);
    expect(addItems('x'.repeat(size + 1), items)).toBe(`${'x'.repeat(size + 1)}\n`);
  });
});
