import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { summaryPage } from '../../scripts/summary-page.ts';
import { digestIn, digestOfPage, SUMMARY_FILE, SUMMARY_IMAGE } from '../../scripts/write-summary-image.ts';
import { expectSafe } from '../report/github/safe-markdown.ts';

const summary = readFileSync(SUMMARY_FILE, 'utf8');

it('docs/images/summary.txt is a report as reports are', () => {
  expectSafe(summary, 'https://github.com/octo/gates/');
  expect(summary).toMatch(/^## ✅ passed: `web-tests`/);
  expect(summary).toContain('| **All** |');
});

it('docs/images/summary.png shows that report (node scripts/write-summary-image.ts writes it), and is small', () => {
  const png = readFileSync(SUMMARY_IMAGE);
  expect(png.subarray(1, 4).toString()).toBe('PNG');
  expect(png.length).toBeLessThan(200 * 1024);
  expect(digestIn(png)).toBe(digestOfPage(summary));
  expect(digestOfPage(`${summary}\nmore`)).not.toBe(digestOfPage(summary));
});

it('the page that is photographed shows every gate, and draws each need as an arrow', () => {
  const page = summaryPage(summary);
  for (const gate of ['data', 'design', 'map', 'code', 'execute', 'learn'])
    expect(page).toContain(`<code>${gate}</code>`);
  expect(page.split('marker-end')).toHaveLength(summary.split(' --> ').length);
  expect(page).not.toContain('|');
  expect(summaryPage('a <b> `<i>` & [x](https://a/?"b)\n')).toContain(
    '<p>a <b> <code>&lt;i&gt;</code> &amp; <a href="https://a/?&quot;b">x</a></p>',
  );
});
