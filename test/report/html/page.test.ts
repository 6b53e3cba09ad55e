import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { digestOf } from '../../../src/json/digest.ts';
import { boundedLog, boundedValue, MOST_OF_A_PAGE } from '../../../src/report/html/bounds.ts';
import { htmlReport } from '../../../src/report/html/page.ts';
import type { GatelineRecord } from '../../../src/run/records/record.ts';
import { gate, NOW, pipelineOf, ran, stateOf } from '../fixtures.ts';
import { HOSTILE_HERE } from '../github/hostile.ts';
import { hostileContent } from './content.ts';

/** A run of so many gates, each with an output of so many bytes. */
function largeContent(gates: number, bytes: number): Parameters<typeof htmlReport>[0] {
  const pipeline = pipelineOf(
    Array.from({ length: gates }, (_, at) => gate(`g${at}`, at, { needs: at === 0 ? [] : [`g${at - 1}`] })),
  );
  const where = { pipeline, subject: 's' };
  const records: GatelineRecord[] = pipeline.gates.flatMap(({ id }, at) => ran(id, { ...where, minute: at % 60 }));
  const { state } = stateOf(records, where);
  const part = { name: 'output', bytes, digest: digestOf(''), text: '<'.repeat(bytes), left: undefined, command: 'c' };
  const attempts = new Map(
    [...state.units.values()].map(({ key, ended }) => [
      key,
      [{ number: 1, claim: undefined, ended, parts: [part], differences: undefined }],
    ]),
  );
  return { pipeline, state, records, attempts, history: [], now: NOW, refresh: undefined, redact: (text) => text };
}

/** Tags of a page with their attributes, without texts. */
function tagsOf(page: string): string[] {
  return [...new Set(page.match(/<[a-z!/][^>]*>/gi) ?? [])].map((tag) => tag.replaceAll(/"[^"]*"/g, '""')).sort();
}

describe('htmlReport', () => {
  it.each(HOSTILE_HERE.map((text) => [text.slice(0, 40), text]))('shows %j as text only', (_, text) => {
    const page = htmlReport(hostileContent(text));
    expect(tagsOf(page)).toEqual(tagsOf(htmlReport(hostileContent('harmless'))));
    expect(page.match(/ id="[^"]*"/g)!.join('')).toMatch(/^(?: id="[a-z]+(?:-(?:title|\d+))?")+$/);
  });

  it('permits its own style and nothing else', () => {
    const page = htmlReport(hostileContent('x'));
    const style = /<style>([^]*)<\/style>/.exec(page)![1]!;
    const hash = createHash('sha256').update(style).digest('base64');
    expect(page).toContain(`content="default-src 'none'; style-src 'sha256-${hash}'; img-src data:"`);
    expect(page).not.toMatch(/<script|style="|javascript:|src=/);
  });

  it('redacts', () => {
    const page = htmlReport({ ...hostileContent('a<secret>'), redact: (text) => text.replaceAll('<secret>', '***') });
    // The ids in the graph are of the definition, not of agents.
    expect(page.replace(/<svg [^>]*class="graph"[^]*?<\/svg>/gi, '')).not.toContain('&lt;secret');
    expect(page).toContain('a***');
  });

  it('draws 400 gates in under a second', () => {
    const content = largeContent(400, 2_000);
    const before = performance.now();
    const page = htmlReport(content);
    expect(performance.now() - before).toBeLessThan(1_000);
    expect(page.match(/<article/g)).toHaveLength(400);
  });

  it('has at most 20 MB and names the gates that do not fit', () => {
    const page = htmlReport(largeContent(400, 65_536));
    expect(Buffer.byteLength(page)).toBeLessThan(MOST_OF_A_PAGE);
    expect(Buffer.byteLength(page)).toBeGreaterThan(MOST_OF_A_PAGE / 2);
    expect(page).toContain('The page is full: <code>gateline show g399</code>');
  });
});

describe('bounds', () => {
  it('keep the beginning of a value, by bytes', () => {
    expect(boundedValue('é'.repeat(32_768))).toEqual({ text: 'é'.repeat(32_768), left: undefined });
    expect(boundedValue('é'.repeat(32_769))).toMatchObject({ text: 'é'.repeat(32_768), left: expect.any(String) });
  });

  it('keep the end of a log, by lines and bytes', () => {
    const lines = (count: number): string => Array.from({ length: count }, (_, at) => `${at}\n`).join('');
    expect(boundedLog(lines(200)).left).toBeUndefined();
    expect(boundedLog(lines(201))).toMatchObject({ text: expect.stringMatching(/^1\n/), left: expect.any(String) });
    expect(boundedLog('x'.repeat(70_000)).text).toHaveLength(65_536);
  });
});
