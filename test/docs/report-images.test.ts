import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { reportPictures } from '../../scripts/report-pages.ts';
import { digestOfPicture, reportImage } from '../../scripts/write-report-images.ts';
import { digestIn } from '../../scripts/write-summary-image.ts';
import { readPage } from './page.ts';

const pictures = Object.entries(reportPictures());

it.each(pictures)(
  'docs/images/%s.png is the page as it is now (node scripts/write-report-images.ts writes it)',
  (name, picture) => {
    expect(existsSync(reportImage(name))).toBe(true);
    const png = readFileSync(reportImage(name));
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    expect(png.length).toBeLessThan(150 * 1024);
    expect(digestIn(png)).toBe(digestOfPicture(picture));
    expect(readPage('docs/recipes/html-report.md')).toContain(`](../images/${name}.png)`);
  },
);

it('the pictures show light, dark, print, 320 pixels, 400 gates and a failed run', () => {
  expect(pictures).toHaveLength(6);
  const of = (name: string) => reportPictures()[name]!;
  expect([of('report-dark').colours, of('report-print').media, of('report-narrow').width]).toEqual([
    'dark',
    'print',
    320,
  ]);
  expect(of('report-large').html.match(/<article/g)).toHaveLength(400);
  expect(of('report-failed').html).toContain(': error</h1>');
});
