import { createHash } from 'node:crypto';
import { JSDOM, type Element } from 'jsdom';
import { describe, expect, it } from 'vitest';
import { createExcerpt, excerptSize } from '../../../src/report/html/excerpt.ts';
import { renderHtml, type HtmlReport } from '../../../src/report/html/page.ts';
import { forTerminal } from '../../../src/untrusted/escape.ts';
import { ALL_HOSTILE } from '../../untrusted/hostile.ts';
import { createLargeReport, createReport, tagsOf, withText } from './pages.ts';

const parse = (report: HtmlReport): Element => new JSDOM(renderHtml(report)).window.document.documentElement;
const page = parse(createReport());
const textOf = ({ textContent }: Element): string => textContent.replaceAll(/\s+/g, ' ').trim();
const textsOf = (root: Element, selector: string): string[] => [...root.querySelectorAll(selector)].map(textOf);
/** Rows of the table with that caption. */
const rowsOf = (root: Element, caption: string): string[] => {
  const tables = [...root.querySelectorAll('table')];
  const table = tables.find((each) => each.querySelector('caption')?.textContent === caption);
  return [...(table?.querySelectorAll('tr') ?? [])].map((row) => textsOf(row, 'th, td').join(' | '));
};
const detailsOf = (name: string): Element =>
  [...page.querySelectorAll('details.gate')].find((each) => each.querySelector('h3')?.textContent === name)!;

describe('the page of a run', () => {
  it('starts with the status of the run, what to do, and time and cost', () => {
    const header = page.querySelector('header')!;
    expect(textsOf(header, 'h1')).toEqual(['main for pr-42: not everything was checked']);
    expect(textsOf(header, '.next .command')).toEqual(['gateline run']);
    const about = 'Gateline · run 2 · started 2026-01-02 03:04 UTC | TaskTest the student registration';
    expect(textsOf(header, '.over, .facts div').join(' | ')).toBe(about);
    const figures =
      'Agents ran4 | Time3 min 55 s | Cost$0.012 | Tokens1,540 | Used again1 | Saved by that$1.84 and 12 min';
    expect(textsOf(header, '.figures div').join(' | ')).toBe(`Gates done5 of 7 | ${figures}`);
  });

  it('has its sections in the order in which they are needed, each with a heading and a link to it', () => {
    const titles = ['Not checked', 'Graph', 'Gates', 'In detail', 'Decisions', 'Last runs'];
    expect(textsOf(page, 'main > section > h2')).toEqual(titles);
    expect(textsOf(page, 'nav a')).toEqual(titles);
    const ids = [...page.querySelectorAll('[id]')].map((element) => element.getAttribute('id'));
    expect(new Set(ids).size).toBe(ids.length);
    const idsOf = (name: string) => [...page.querySelectorAll(`[${name}]`)].map((each) => each.getAttribute(name)!);
    for (const id of idsOf('href').map((href) => href.slice(1))) expect(ids).toContain(id);
    for (const id of idsOf('aria-labelledby')) expect(page.querySelectorAll(`h2#${id}`)).toHaveLength(1);
    for (const table of page.querySelectorAll('table')) {
      expect(textsOf(table, 'caption')).toEqual([expect.stringMatching(/\w/)]);
      const unscoped = 'thead th:not([scope="col"]), tbody tr > :first-child:not([scope="row"])';
      expect(table.querySelectorAll(unscoped)).toHaveLength(0);
    }
  });

  it('lists the gates, those of a group below its name, and leaves out columns without texts', () => {
    expect(rowsOf(page, 'Gates and their status')).toEqual([
      'Gate | Status | How | Score | Time | Cost | Why',
      'design | passed | used |  |  |  | output of attempt 1 of run 1',
      'dom | passed | ran 2 times | 87 | 25 s | $0.012 | all mapped',
      'pom | passed | ran |  | 3 min 5 s |  | octocat approved it: looks fine',
      'checks | failed |  |  |  |  | ',
      '└ execute/chrome | failed | ran | 60 < 80 | 13 s |  | check: rate >= 90 is false: rate is 60',
      '└ execute/firefox | passed | ran | 95 | 13 s |  | ',
      '└ style | skipped |  |  |  |  | octocat skipped it: not today',
      'learn | blocked |  |  |  |  | execute/chrome failed',
    ]);
    expect(rowsOf(page, 'Last runs (1): 0 % completed, they cost $1.84')).toEqual([
      'Run | Subject | Status | Started | Passed | Time | Cost | Task or failure',
      '1 | pr-42 | error | 2026-01-02 03:00 UTC | 1 of 7 | 12 min | $1.84 | gone: it has no selectors',
    ]);
  });

  it('opens the gates that hold the run up, with issues, attempts, files, decisions and what they left', () => {
    expect(textsOf(page, 'details.gate[open] > summary')).toEqual(['execute/chrome failed']);
    const chrome = detailsOf('execute/chrome');
    expect(textsOf(chrome, '.facts div').join(' | ')).toBe(
      'Whycheck: rate >= 90 is false: rate is 60 | ' +
        'NextFix execute/chrome: make the tests pass, then run again: gateline run | ' +
        'Verdictfailed (check) | Score60 < 80 | ResultRED | What to doMake the tests pass. | ' +
        'Needspom | Agentexecute | Defined atgateline.yml:4',
    );
    expect(rowsOf(chrome, 'Issues')[1]).toBe('error | rate >= 90 is false: rate is 60 | the whole output');
    expect(textsOf(chrome, 'details pre')[0]).toBe('{ "score": 60 }');
    expect(textsOf(chrome, '.note')).toEqual(['The last 1 KiB of 4 KiB: gateline show dom stdout prints all']);
    const dom = detailsOf('dom');
    expect(rowsOf(dom, 'Attempts in this run')).toEqual([
      'Attempt | How | Verdict | Score | Started | Time | Cost | Tokens | Model | Exit code',
      '2 | ran | passed | 87 | 2026-01-02 03:06 UTC | 13 s | $0.012 | 1,540 | m-1 | ',
      '1 | ran | failed (schema) |  | 2026-01-02 03:04 UTC | 13 s |  |  |  | 1',
    ]);
    expect(rowsOf(dom, 'Issues')[1]).toBe('error | it has no selectors | /items/0 | /required');
    const pom = detailsOf('pom');
    const undeclared = 'coverage.txt | changed, but not declared: counts as yours';
    const files = ['File | Change', 'tests/a.ts | added', 'tests/b.ts | changed', undeclared];
    expect(rowsOf(pom, 'Files of the gate')).toEqual(files);
    const decision = '2026-01-02 03:10 UTC | approve | pom | octocat | looks fine';
    expect([rowsOf(pom, 'Decisions')[1], rowsOf(page, 'Decisions')[1]]).toEqual([decision, decision]);
    expect(textsOf(detailsOf('design'), '.facts div')).toContain('Used fromrun 1 of pr-42');
  });

  it('draws each gate after what it needs, with a line for each need and its status as a word and a shape', () => {
    const boxes = [...page.querySelectorAll('svg.graph a')];
    const boxOf = (name: string) => boxes.find((box) => textsOf(box, 'text')[0] === name)!;
    const x = (name: string) => Number(boxOf(name).querySelector('rect')!.getAttribute('x'));
    const columns = ['design', 'dom', 'pom', 'style', 'learn'].map(x);
    expect(columns).toEqual([...new Set(columns)].toSorted((a, b) => a - b));
    expect(x('execute')).toBe(x('style'));
    expect([boxes.length, page.querySelectorAll('svg.graph path.need').length]).toEqual([6, 8]);
    expect(textsOf(boxOf('execute'), '.small')).toEqual(['failed (1 of 2)']);
  });
});

describe('what others wrote', () => {
  it('is text, whatever it is, in every place', () => {
    const harmless = tagsOf(renderHtml(withText(createReport(), 'x')));
    expect(harmless.rest).not.toMatch(/[<>]/);
    for (const text of ALL_HOSTILE) {
      const html = renderHtml(withText(createReport(), text));
      const { tags, rest } = tagsOf(html);
      expect(rest, text).not.toMatch(/[<>]/);
      expect(tags, text).toEqual(harmless.tags);
    }
  });

  it('is shown literally, with invisible characters made visible', () => {
    const text = ALL_HOSTILE.join('\n');
    const document = parse(withText(createReport(), text));
    const shown = forTerminal(text);
    expect(document.querySelector('details.gate pre')!.textContent).toBe(shown);
    // Other texts are cut.
    expect(shown).toContain(document.querySelector('nav ~ main section p')!.textContent.slice(0, -1));
    const active = 'script, link, img, iframe, object, embed, form, base, video, audio, [style], [src], [srcset]';
    expect(document.querySelectorAll(active)).toHaveLength(0);
    const attributes = [...document.querySelectorAll('*')].flatMap((element) => [...element.attributes]);
    expect(attributes.filter(({ name }) => name.startsWith('on'))).toEqual([]);
    const links = attributes.filter(({ name }) => name === 'href');
    expect(links.filter(({ value }) => !/^#[a-z0-9-]+$/.test(value))).toEqual([]);
    // The page could load and run nothing else.
    const style = createHash('sha256').update(document.querySelector('style')!.textContent).digest('base64');
    const policy = `default-src 'none'; style-src 'sha256-${style}'; base-uri 'none'; form-action 'none'`;
    expect(document.querySelector('meta[http-equiv]')!.getAttribute('content')).toBe(policy);
  });
});

describe('a large run', () => {
  it('of 1,000 gates is a table of them without a graph, and stays small', () => {
    const html = renderHtml(createLargeReport(1_000));
    expect(html.length).toBeLessThan(6_000_000);
    const { tags, rest } = tagsOf(html);
    expect(rest).toContain('A graph of 1000 gates is not drawn: each gate below names what it needs.');
    const count = (tag: string) => tags.filter((each) => each.startsWith(tag)).length;
    expect([count('<path class'), count('<details class')]).toEqual([0, 1_000]);
    expect(html.split('</table>')[0]!.split('<tr>')).toHaveLength(1_002);
    expect(parse(createLargeReport(60)).querySelectorAll('svg.graph a')).toHaveLength(60);
  });

  it('shows the first rows of long tables', () => {
    const { view, ...report } = createReport();
    const changes = Array.from({ length: 201 }, (_, at) => ({ path: `file-${at}`, before: null, after: 'x' }));
    const units = view.units.map((unit) => ({ ...unit, changes }));
    const body = parse({ ...report, view: { ...view, units } });
    expect(rowsOf(body, 'Files of the gate')).toHaveLength(201);
    expect(textsOf(body, '.note')).toContain('… and 1 more.');
  });

  it('shows the start of a value and the end of a log, in whole characters', () => {
    expect([excerptSize(0), excerptSize(1_000), excerptSize(1_000_000)]).toEqual([65_536, 2_097, 1_024]);
    expect(createExcerpt('output', 'é'.repeat(512), 1_024)).toEqual({ name: 'output', text: 'é'.repeat(512) });
    const cut = (which: string) => ({ text: 'é'.repeat(511), note: `The ${which} 1,022 bytes of 1 KiB` });
    expect(createExcerpt('output', `${'é'.repeat(511)}漢`, 1_023)).toEqual({ name: 'output', ...cut('first') });
    expect(createExcerpt('stderr', `漢${'é'.repeat(511)}`, 1_023)).toEqual({ name: 'stderr', ...cut('last') });
  });
});
