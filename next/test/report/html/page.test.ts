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
  it('says first how the run stands, what to do and what it took', () => {
    const header = page.querySelector('header')!;
    expect(textsOf(header, 'h1')).toEqual(['main for pr-42: not everything was checked']);
    expect(textsOf(header, '.next .command')).toEqual(['gateline run']);
    expect(textsOf(header, '.over, .facts div')).toEqual([
      'Gateline · run 2 · started 2026-01-02 03:04 UTC',
      'TaskTest the student registration',
    ]);
    expect(textsOf(header, '.figures div')).toEqual([
      'Gates done5 of 7',
      'Agents ran4',
      'Time3 min 55 s',
      'Cost$0.012',
      'Tokens1,540',
      'Used again1',
      'Saved by that$1.84 and 12 min',
    ]);
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
      expect(
        table.querySelectorAll('thead th:not([scope="col"]), tbody tr > :first-child:not([scope="row"])'),
      ).toHaveLength(0);
    }
  });

  it('lists the gates, those of a group below its name, and leaves out columns without texts', () => {
    expect(rowsOf(page, 'Gates and how they stand')).toEqual([
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
    expect(textsOf(chrome, '.facts div')).toEqual([
      'Whycheck: rate >= 90 is false: rate is 60',
      'NextFix execute/chrome (Make the tests pass), then run again: gateline run',
      'Verdictfailed (check)',
      'Score60 < 80',
      'ResultRED',
      'What to doMake the tests pass.',
      'Needspom',
      'Agentexecute',
      'Defined atgateline.yml:4',
    ]);
    expect(rowsOf(chrome, 'Issues')[1]).toBe('error | rate >= 90 is false: rate is 60 | the whole output');
    expect(textsOf(chrome, 'details pre')[0]).toBe('{ "score": 60 }');
    expect(textsOf(chrome, 'details .note')[0]).toMatch(
      /^The last 1 KiB of 4 KiB: gateline show dom stdout prints all$/,
    );
    const dom = detailsOf('dom');
    expect(rowsOf(dom, 'Attempts in this run')).toEqual([
      'Attempt | How | Verdict | Score | Started | Time | Cost | Tokens | Model | Exit code',
      '2 | ran | passed | 87 | 2026-01-02 03:06 UTC | 13 s | $0.012 | 1,540 | m-1 | ',
      '1 | ran | failed (schema) |  | 2026-01-02 03:04 UTC | 13 s |  |  |  | 1',
    ]);
    expect(rowsOf(dom, 'Issues')[1]).toBe('error | it has no selectors | /items/0 | /required');
    const pom = detailsOf('pom');
    expect(rowsOf(pom, 'Files of the gate').slice(1)).toEqual([
      'tests/a.ts | added',
      'tests/b.ts | changed',
      'coverage.txt | changed, but not declared: counts as yours',
    ]);
    const decision = '2026-01-02 03:10 UTC | approve | pom | octocat | looks fine';
    expect([rowsOf(pom, 'Decisions')[1], rowsOf(page, 'Decisions')[1]]).toEqual([decision, decision]);
    expect(textsOf(detailsOf('design'), '.facts div')).toContain('Used fromrun 1 of pr-42');
  });

  it('draws each gate after what it needs, with a line for each need and its status as a word and a shape', () => {
    const boxes = new Map(
      [...page.querySelectorAll('svg.graph a')].map((box) => [box.querySelector('text')!.textContent, box]),
    );
    expect([...boxes.keys()].toSorted()).toEqual(['design', 'dom', 'execute', 'learn', 'pom', 'style']);
    const x = (name: string) => Number(boxes.get(name)!.querySelector('rect')!.getAttribute('x'));
    expect(x('design') < x('dom') && x('dom') < x('pom') && x('pom') < x('style') && x('style') < x('learn')).toBe(
      true,
    );
    expect(x('execute')).toBe(x('style'));
    expect(page.querySelectorAll('svg.graph path.need')).toHaveLength(8);
    expect(textsOf(boxes.get('execute')!, '.small')).toEqual(['failed (1 of 2)']);
  });

  it('says so if there is no run yet', () => {
    const { view } = createReport();
    const units = view.units.map((unit) => ({ ...unit, attempts: [], verdict: undefined, done: false }));
    const empty = parse({ ...createReport(), view: { ...view, run: 0, status: 'initializing', units }, problems: [] });
    expect(textsOf(empty, '.over, h1')).toEqual([
      expect.stringMatching(/^Gateline · no run yet/),
      'main for pr-42: initializing',
    ]);
    expect(empty.querySelectorAll('details.gate[open]')).toHaveLength(0);
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

  it('is shown as it is, with what is invisible in it made visible', () => {
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
    const addresses = attributes.filter(({ name }) => name === 'href').map(({ value }) => value);
    expect(addresses.filter((address) => !/^#[a-z0-9-]+$/.test(address))).toEqual([]);
  });

  it('could load and run nothing even if it were more', () => {
    const style = createHash('sha256').update(page.querySelector('style')!.textContent).digest('base64');
    expect(page.querySelector('meta[http-equiv]')!.getAttribute('content')).toBe(
      `default-src 'none'; style-src 'sha256-${style}'; base-uri 'none'; form-action 'none'`,
    );
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
    const note = (which: string) => `The ${which} 1,022 bytes of 1 KiB`;
    expect(createExcerpt('output', `${'é'.repeat(511)}漢`, 1_023)).toEqual({
      name: 'output',
      text: 'é'.repeat(511),
      note: note('first'),
    });
    expect(createExcerpt('stderr', `漢${'é'.repeat(511)}`, 1_023)).toEqual({
      name: 'stderr',
      text: 'é'.repeat(511),
      note: note('last'),
    });
  });
});
