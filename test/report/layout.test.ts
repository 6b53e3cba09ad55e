import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { formatBytes, formatDuration, formatMoney, listNames } from '../../src/report/amounts.ts';
import { fitSections } from '../../src/report/markdown.ts';
import { ansi, renderTable, type Column } from '../../src/report/table.ts';

describe('tables', () => {
  interface Row {
    readonly name: string;
    readonly count: number;
    readonly why?: string;
  }
  const columns: Column<Row>[] = [
    { head: 'name', cell: ({ name }) => ({ text: name, tone: 'good' }), max: 8 },
    { head: 'count', cell: ({ count }) => String(count), isNumber: true },
    { head: 'empty', cell: () => '' },
    { head: 'why', cell: ({ why }) => why, max: 300 },
  ];
  const rows = [
    { name: 'plan', count: 7 },
    { name: '設計レビュー', count: 1_200, why: 'line\none\u001b[2J' },
  ];

  it('align columns by what a terminal shows, leave empty ones out and cut what is too wide', () => {
    expect(renderTable(columns, rows, {})).toBe(
      ['name      count  why', 'plan          7', '設計レ…    1200  line one␛[2J', ''].join('\n'),
    );
    expect(renderTable(columns, rows, { width: 20 })).toContain('設計レ…    1200  li…\n');
    expect(renderTable(columns, rows, { paint: ansi })).toContain('\u001b[32mplan\u001b[0m          7');
    expect(renderTable(columns, [])).toBe('');
  });

  it('take 150,000 rows', () => {
    const table = renderTable(
      columns,
      Array.from({ length: 150_000 }, (_, count) => ({ name: 'x', count })),
    );
    expect(table.split('\n')).toHaveLength(150_002);
  });

  it('are never wider than the terminal', () => {
    const row = fc.record({
      name: fc.string({ unit: 'grapheme' }),
      count: fc.nat(),
      why: fc.string({ unit: 'grapheme' }),
    });
    const check = (some: readonly Row[], width: number) => {
      for (const line of renderTable(columns, some, { width }).split('\n'))
        expect(stringWidth(line)).toBeLessThanOrEqual(width);
    };
    fc.assert(fc.property(fc.array(row, { maxLength: 5 }), fc.integer({ min: 20, max: 90 }), check));
  });
});

describe('documents of a limited size', () => {
  it('leave out whole pieces of the heaviest sections first, and count them', () => {
    const fence = { title: 'the log', weight: 2, head: '```', foot: '```', pieces: ['one', 'two'.repeat(50)] };
    const sections = [
      { title: 'the title', weight: 0, pieces: ['# Title'] },
      fence,
      { title: 'the files', weight: 3, head: '## Files\n', pieces: ['- a', '- b'] },
      { title: 'nothing', weight: 1, head: '## Nothing', pieces: [] },
    ];
    expect(fitSections(sections, 1_000)).toContain(`\`\`\`\none\n${fence.pieces[1]}\n\`\`\`\n\n## Files\n\n- a\n- b\n`);
    expect(fitSections(sections, 180)).toBe(
      '# Title\n\n```\none\n```\n\n_… and 1 more._\n\n_Left out, too large: the files._\n',
    );
  });

  it('have at most that many bytes, and whole fences', () => {
    const piece = fc.string({ unit: 'grapheme', maxLength: 200 }).map((text) => `- ${text.replaceAll('`', '')}`);
    const section = fc.record({
      title: fc.constant('some'),
      weight: fc.nat(5),
      pieces: fc.array(piece, { maxLength: 20 }),
      head: fc.constant('```'),
      foot: fc.constant('```'),
    });
    const check = (sections: Parameters<typeof fitSections>[0], limit: number) => {
      const text = fitSections(sections, limit);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(limit);
      expect(text.split('```').length % 2).toBe(1);
    };
    fc.assert(fc.property(fc.array(section, { maxLength: 6 }), fc.integer({ min: 100, max: 4_000 }), check));
  });
});

it('amounts are short, and exact where they are small', () => {
  const durations = [0, 49, 400, 12_400, 60_000, 185_000, 740_000, 3_599_000, 7_620_000].map(formatDuration);
  expect(durations).toEqual(['', '', '0.4 s', '12 s', '1 min', '3 min 5 s', '12 min', '1 h', '2 h 7 min']);
  const money = [undefined, 0, 0.00001, 0.0123, 0.4, 1250].map(formatMoney);
  expect(money).toEqual(['', '', '', '$0.012', '$0.40', '$1,250.00']);
  expect([1, 340, 12_288, 3_565_158].map(formatBytes)).toEqual(['1 byte', '340 bytes', '12 KiB', '3.4 MiB']);
  expect([[], ['a'], ['a', 'b'], ['a', 'b', 'c', 'd', 'e']].map((names) => listNames(names))).toEqual([
    '',
    'a',
    'a and b',
    'a, b, c and 2 more',
  ]);
});
