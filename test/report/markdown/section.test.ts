import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linkTo, webAddress } from '../../../src/report/markdown/markdown.ts';
import { block, fitSummary, type Section } from '../../../src/report/markdown/section.ts';
import { seen } from '../../untrusted/markdown.ts';
import { drawn } from '../../support/samples.ts';

const RUN = 'https://github.com/acme/shop/actions/runs/1';
const line = (at: number, passed = false) => ({ text: `- line ${at}${' long'.repeat(10)}`, passed });
const list = (title: string, weight: number, lines: number, passed = (_at: number) => false): Section => ({
  title,
  weight,
  heading: `### ${title}`,
  pieces: Array.from({ length: lines }, (_, at) => line(at, passed(at))),
});

describe('what fits', () => {
  it('is everything while there is room, and nothing of an empty section', () => {
    const text = fitSummary([block('a', 0, 'A'), list('b', 1, 2), list('none', 2, 0)], 1_000).replaceAll(' long', '');
    expect(text).toBe('A\n\n### b\n\n- line 0\n- line 1\n');
  });

  it('loses what passed first, in every section, and says how much and where it is', () => {
    const sections = [list('light', 1, 40, (at) => at % 2 === 0), list('heavy', 9, 40, () => false)];
    const whole = Buffer.byteLength(fitSummary(sections, 10_000));
    const text = fitSummary(sections, whole - 200, RUN);
    expect(text).toContain(`of them passed; [full text](${RUN})._`);
    expect(text).toContain(`; [full text](${RUN})._\n\n### heavy`);
    expect(text.match(/- line/g)!.length).toBeGreaterThan(40);
    expect(text.slice(text.indexOf('### heavy')).match(/- line/g)).toHaveLength(40);
  });

  it('loses the heaviest sections next, whole ones where it must, and names them', () => {
    const sections = [block('the headline', 0, 'H'), list('light', 1, 10), list('heavy', 9, 300)];
    const text = fitSummary(sections, 2_000, RUN);
    expect(text).toContain('### light\n\n- line 0');
    expect(text).toMatch(/_… and \d+ more; \[full text\]/);
    const less = fitSummary(sections, 800, RUN);
    expect(less).toContain('H\n');
    expect(less).toContain('_Left out, too large: heavy');
    expect(fitSummary(sections, 3)).toBe('');
  });

  it('counts UTF-8 bytes, not characters', () => {
    const sections = [
      list('a', 1, 1),
      { ...list('b', 2, 0), pieces: Array.from({ length: 50 }, () => ({ text: '- 漢字' })) },
    ];
    for (const most of [100, 300, 500]) expect(Buffer.byteLength(fitSummary(sections, most))).toBeLessThanOrEqual(most);
  });

  it('keeps tables, fences and folds whole under any budget', () => {
    const cell = fc.stringMatching(/^x[a-z漢]{1,12}$/);
    const section: fc.Arbitrary<Section> = fc
      .tuple(
        fc.integer({ min: 0, max: 9 }),
        fc.constantFrom('table', 'fence', 'list'),
        fc.array(fc.tuple(cell, fc.boolean()), { maxLength: 30 }),
        fc.boolean(),
      )
      .map(([weight, kind, cells, folds]) => ({
        title: `section ${weight}`,
        weight,
        heading: folds ? '' : '### Heading',
        ...(folds && { fold: 'Fold' }),
        ...(kind === 'table' && { head: '| a | b |\n| --- | --- |' }),
        ...(kind === 'fence' && { head: '```text', foot: '```' }),
        pieces: cells.map(([text, passed]) => ({
          text: kind === 'table' ? `| ${text} | ${text} |` : kind === 'fence' ? text : `- ${text}`,
          passed,
        })),
      }));
    fc.assert(
      fc.property(fc.array(section, { maxLength: 6 }), fc.integer({ min: 0, max: 3_000 }), (sections, most) => {
        const text = fitSummary(sections, most, RUN);
        const headed = fitSummary(
          [block('the headline', 0, 'H'), ...sections.map((one) => ({ ...one, weight: one.weight + 1 }))],
          most + 700,
          RUN,
        );
        expect(headed).toMatch(/^H\n/);
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(most);
        expect(text.match(/```/g)?.length ?? 0).toBe(2 * (text.match(/```text\n/g)?.length ?? 0));
        expect(text.match(/<details>/g)?.length).toBe(text.match(/<\/details>/g)?.length);
        for (const node of seen(text).root.children) {
          if (node.type === 'table') for (const row of node.children) expect(row.children).toHaveLength(2);
          if (node.type === 'code') expect(node.value).not.toContain('_…');
        }
        const shown = text.match(/^(?:- |\| (?!a \||---)).*$/gm)?.length ?? 0;
        const fenced = [...text.matchAll(/```text\n([^]*?)\n?```/g)].flatMap(([, body]) =>
          body!.split('\n').filter(Boolean),
        ).length;
        const counted = [...text.matchAll(/… and (\d+) more/g)].reduce((sum, [, number]) => sum + Number(number), 0);
        const all = sections.reduce((sum, { pieces }) => sum + pieces.length, 0);
        if (text !== '' && !text.includes('_Left out')) expect(shown + fenced + counted).toBe(all);
      }),
      drawn(200),
    );
  });
});

describe('a link', () => {
  it.each([
    'javascript:alert(1)',
    'http://github.com',
    'https://user:pass@github.com',
    'data:text/html,x',
    '//github.com',
    'x',
    '',
    ' https://x y',
    `https://github.com/${'a'.repeat(3_000)}`,
  ])('to %j is only its text', (address) => {
    expect(linkTo('text', address)).toBe('text');
  });

  it('stays one link whatever its address holds', () => {
    const hostile = 'https://github.com/a(b)c"d\'e`f|g\\h<i>j[k]l*m_n~o$p {q}?r=1&copy=2#s';
    const text = `| ${linkTo('text', hostile)} |\n| --- |`;
    const { types, root } = seen(text);
    expect([...types].sort()).toEqual(['link', 'root', 'table', 'tableCell', 'tableRow', 'text']);
    const [table] = root.children;
    const link = table?.type === 'table' ? table.children[0]!.children[0]!.children[0]! : undefined;
    expect(link).toMatchObject({ type: 'link', url: expect.stringContaining('&copy=2#s') as string });
    expect(webAddress(hostile)).not.toMatch(/[()"'`|\\<>[\]*$ {}]/);
  });
});
