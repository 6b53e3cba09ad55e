import { describe, expect, it } from 'vitest';
import stringWidth from 'string-width';
import { statusTable } from '../../../src/report/terminal/status-table.ts';
import type { Paint } from '../../../src/report/text.ts';
import { expectGolden } from '../golden.ts';
import {
  decided,
  ended,
  failedRun,
  gate,
  NOW,
  pipelineOf,
  ran,
  reviewed,
  started,
  stateOf,
  webTests,
} from '../fixtures.ts';
import type { EndedRecord } from '../../../src/run/records/record.ts';
import { HOSTILE, OBEYED_BY_TERMINALS } from '../hostile.ts';

const widths = (table: string): number[] => table.split('\n').map((line) => stringWidth(line));

describe('the status table', () => {
  it('says of each gate its number, status, how it came to it, score, time and why', () => {
    const { state } = failedRun();
    expectGolden('status-failed.txt', statusTable(state, webTests), {
      contains: [
        /^0 +data +passed +reused +95 +reused from run 2/m,
        /^2 +dom +passed +ran +87 +13s/m,
        /^4 +execute +failed +ran +60 +13s +check: .output\.finalStatus/m,
        /^5 +learn +blocked +needs execute \(failed\)$/m,
      ],
      lacks: [/ $/m, '\u001b'],
    });
  });

  it('puts legs under their gate and heads groups, with the worst leg as the status of the gate', () => {
    const where = { pipeline: reviewed };
    const { state } = stateOf(
      [
        ...ran('build', where),
        ...ran('e2e', { ...where, leg: 'chrome-linux' }),
        started('e2e', { ...where, leg: 'firefox-linux', minute: 30 }),
        ...ran('style', where),
        decided('security', where),
      ],
      where,
    );
    expectGolden('status-matrix.txt', statusTable(state, reviewed, { now: NOW }), {
      contains: [
        /^1 +e2e +running +1 of 2 legs done$/m,
        /^ +chrome-linux +passed +ran/m,
        /^ +firefox-linux +running +30m 00s/m,
        /^group review: 2 of 2 gates done, 13s\n2 +style .*\n3 +security +skipped +skipped +skipped by octocat: not today\n4/m,
      ],
    });
  });

  it('names a leg by its values where its id is partly a digest, and where no other leg has the same', () => {
    const legs = [
      { id: 'chrome-120-3-10-fbdc0e', matrix: { browser: 'Chrome 120', v: '3.10' } },
      { id: 'firefox', matrix: { browser: 'firefox' } },
      { id: '1-0a1b2c', matrix: { v: 1 } },
      { id: '1-1b2c3d', matrix: { v: '1' } },
    ];
    const pipeline = pipelineOf([gate('e2e', 0, { legs })]);
    const { state } = stateOf([], { pipeline });
    const names = statusTable(state, pipeline).matchAll(/^ {5}(.*?) {2,}ready/gm);
    expect([...names].map(([, name]) => name)).toEqual(['Chrome 120, 3.10', 'firefox', '1-0a1b2c', '1-1b2c3d']);
  });

  it('is never wider than the terminal, whatever its width', () => {
    const advice = HOSTILE.join(' ');
    const { state } = stateOf(
      ran('data', {}, { verdict: { status: 'failed', kind: 'schema', score: 0, issues: [], advice } }),
    );
    for (let width = 20; width <= 160; width += 1) {
      expect(Math.max(...widths(statusTable(state, webTests, { width })))).toBeLessThanOrEqual(width);
    }
    expect(statusTable(state, webTests, { width: 5 })).toBe(statusTable(state, webTests, { width: 20 }));
    for (const width of [20, 33, 50, 80, 120])
      expect(Math.max(...widths(statusTable(state, webTests, { width, wrap: true })))).toBeLessThanOrEqual(width);
  });

  it('still says why on a narrow terminal, on a line of its own', () => {
    const { state } = failedRun();
    expect(statusTable(state, webTests, { width: 50 })).toContain('\n    why: needs execute (failed)\n');
  });

  it('goes on below with a reason that is too long, between words, in its column or under the row', () => {
    const verdict = {
      status: 'failed',
      kind: 'check',
      score: 0,
      advice: 'Not one of the twelve tests of the form passed today',
    };
    const { state } = stateOf(ran('data', {}, { verdict: { ...verdict, issues: [] } as EndedRecord['verdict'] }));
    const of = (width: number): string => statusTable(state, webTests, { width, wrap: true });
    expect(of(79)).toMatch(
      /^(0 +data +failed +ran +0 +13s +)check: Not one of the twelve tests of\n {39}the form passed today\n1 /m,
    );
    expect(of(40)).toContain('\n    why: check: Not one of the twelve\n      tests of the form passed today\n1 ');
    expect(statusTable(state, webTests, { width: 79 })).toMatch(/twelve tests of t…\n1 /);
  });

  it('colours the status and nothing else, and lines up as without colour', () => {
    const { state } = failedRun();
    const paint: Paint = (tone, text) => `{${tone}:${text}}`;
    const painted = statusTable(state, webTests, { paint });
    expect(painted).toContain('{bad:failed}');
    expect(painted).toContain('{good:passed}');
    expect(painted.replace(/\{[a-z]+:([^{}]*)\}/g, '$1')).toBe(statusTable(state, webTests));
  });

  it('does not show the score of an earlier attempt for one that was lost', () => {
    const writer = { host: 'host', boot: 'boot', pid: 8, pidStart: '2' };
    const { state } = stateOf(
      [
        ...ran('data', {}, { verdict: { status: 'failed', kind: 'schema', score: 33, issues: [], advice: 'x' } }),
        started('data', { n: 2 }, { by: writer }),
      ],
      {
        deadWriters: new Set(['host|boot|8|2']),
      },
    );
    expect(statusTable(state, webTests)).toMatch(/^0 +data +lost {2,}attempt 2 began/m);
  });

  it.each(HOSTILE)('obeys nothing in %j', (text) => {
    for (const width of [0, 40]) {
      const { state } = stateOf([
        ...ran('data', {}, { verdict: { status: 'failed', kind: 'schema', score: 0, issues: [], advice: text } }),
        decided('design', {}, { actor: text, reason: text }),
        ended('dom', {}, { source: { runNumber: 1, runAttempt: 1, n: 1 } }),
      ]);
      expect(statusTable(state, webTests, { width })).not.toMatch(OBEYED_BY_TERMINALS);
    }
  });
});
