import type { Pipeline } from '../../../src/pipeline/pipeline.ts';
import type { PlannedUnit } from '../../../src/run/plan/plan.ts';
import type { EndedRecord, GatelineRecord } from '../../../src/run/records/record.ts';
import type { RunHistory } from '../../../src/history/entry.ts';
import { ownHistory } from '../../../src/report/github/own-history.ts';
import type { RunFacts, RunReportInput } from '../../../src/report/github/report-input.ts';
import { ended, FAILED_CHECK, NOW, ran, reviewed, started, stateOf, webTests } from '../fixtures.ts';

export const SHA = '0123456789abcdef0123456789abcdef01234567';
export const FACTS: RunFacts = { runId: '9003', sha: SHA, branch: 'main', event: 'push' };
export const LINKS = {
  run: 'https://github.com/acme/shop/actions/runs/9003',
  runs: 'https://github.com/acme/shop/actions/runs',
  files: `https://github.com/acme/shop/blob/${SHA}`,
  artifacts: new Map([
    [
      'execute',
      [{ name: 'output', url: 'https://github.com/acme/shop/actions/runs/9003/artifacts/77', bytes: 18_432 }],
    ],
  ]),
} as const;

export const failedVerdict = structuredClone(FAILED_CHECK) as unknown as EndedRecord['verdict'];

/** What the failing gate wrote: a report of tests that names files and lines. */
export const EXECUTE_OUTPUT = {
  finalStatus: { passRate: 60, file: 'tests/registration.spec.ts', line: 41 },
  failures: [
    {
      title: 'shows the name',
      message: 'expected "Ann" to be visible, but the dialog is empty',
      severity: 'error',
      location: { file: '/home/runner/work/shop/tests/registration.spec.ts', line: 41, column: 7 },
    },
    { message: 'no such element: #mobile', severity: 'error', location: 'tests/pages/registration.ts:12:3' },
  ],
};
export const WORKSPACE = '/home/runner/work/shop';

/** What the agent of a gate told of itself. */
const metrics = (costUsd: number, tokens: number, model = 'm-1') => ({
  metrics: { model, inputTokens: tokens - 300, outputTokens: 300, costUsd },
});

/** Records of run 2 (green) and of run 3: data and design reused from run 2, dom tried twice, execute failed a check, learn waits. */
export function failedRecords(): GatelineRecord[] {
  const before = { run: 2, call: 1 };
  const at = { run: 3, call: 1 };
  const source = { runNumber: 2, runAttempt: 1, n: 1 };
  const slow = { at: '2026-01-02T03:02:48.000Z' };
  return [
    ...ran('data', { ...before, minute: 0 }, metrics(0.021, 4_100)),
    ...ran('design', { ...before, minute: 0 }, metrics(0.034, 9_800)),
    ended('data', { ...at, minute: 1 }, { how: 'reused', source, ...metrics(0.021, 4_100) }),
    ended('design', { ...at, minute: 1 }, { how: 'reused', source, ...metrics(0.034, 9_800) }),
    ...ran(
      'dom',
      { ...at, minute: 1 },
      {
        verdict: {
          status: 'failed',
          kind: 'malformed',
          score: 0,
          issues: [{ severity: 'error', message: 'not JSON: a brace is missing at line 3' }],
          advice: '',
        },
        ...metrics(0.008, 1_900),
      },
    ),
    ...ran(
      'dom',
      { ...at, n: 2, minute: 2 },
      {
        ...slow,
        verdict: {
          status: 'passed',
          kind: 'passed',
          score: 87,
          issues: [{ severity: 'warning', message: '2 elements have confidence < 80%', pointer: '/elementMappings' }],
          advice: '',
        },
        ...metrics(0.012, 2_640),
      },
    ),
    ...ran(
      'pom',
      { ...at, minute: 3 },
      {
        ...metrics(0.05, 12_000, 'm-2'),
        files: [{ path: 'tests/pages/registration.ts', before: null, after: { blob: 'b1', mode: '100644' } }],
      },
    ),
    ...ran('execute', { ...at, minute: 4 }, { verdict: structuredClone(failedVerdict), exitCode: 0 }),
  ];
}

/** Earlier runs: 1 failed at execute, 2 was green. */
export function history(): RunHistory[] {
  const all = ['data', 'design', 'dom', 'pom', 'execute', 'learn'];
  const entry = (run: number, ids: readonly string[], last?: Partial<EndedRecord>): RunHistory => {
    const records = ids.flatMap((id, minute) =>
      ran(id, { run, call: 1, minute }, id === 'execute' && last !== undefined ? last : metrics(0.02, 3_000)),
    );
    const facts = { ...FACTS, runId: String(9_000 + run), sha: SHA.replace('0', String(run)) };
    return ownHistory({ pipeline: webTests, state: stateOf(records).state, records, facts, now: NOW });
  };
  return [entry(2, all), entry(1, all.slice(0, 5), { verdict: structuredClone(failedVerdict) })];
}

export function inputOf(
  records: readonly GatelineRecord[],
  over: Partial<RunReportInput> = {},
  pipeline: Pipeline = webTests,
): RunReportInput {
  return { pipeline, state: stateOf(records, { pipeline }).state, records, now: NOW, ...over };
}

export function failedInput(over: Partial<RunReportInput> = {}): RunReportInput {
  return inputOf(failedRecords(), {
    facts: FACTS,
    links: LINKS,
    history: history(),
    values: new Map([['execute', EXECUTE_OUTPUT]]),
    workspace: WORKSPACE,
    ...over,
  });
}

/** A run with a group and legs: build passed, one leg is at work, one was lost, style passed, security was rejected by its contract. */
export function reviewedInput(over: Partial<RunReportInput> = {}): RunReportInput {
  const where = { pipeline: reviewed, run: 1, call: 1 };
  const lost = { host: 'host', boot: 'boot', pid: 8, pidStart: '2' };
  const records = [
    ...ran('build', where),
    started('e2e', { ...where, leg: 'chrome-linux', minute: 1 }),
    started('e2e', { ...where, leg: 'firefox-linux', minute: 1 }, { by: lost }),
    ...ran('style', { ...where, minute: 1 }),
    ...ran(
      'security',
      { ...where, minute: 1 },
      {
        verdict: {
          status: 'partial',
          kind: 'partial',
          score: 71,
          issues: [{ severity: 'warning', message: 'a token is logged', pointer: '/findings/0' }],
          advice: 'See to the findings.',
        },
      },
    ),
  ];
  const told = { pipeline: reviewed, deadWriters: new Set(['host|boot|8|2']) };
  return { ...inputOf(records, {}, reviewed), state: stateOf(records, told).state, ...over };
}

export const PLANNED: PlannedUnit = {
  key: 'execute',
  gate: 'execute',
  leg: '',
  choice: 'run',
  reason: 'exports of pom changed; file tests/pages/registration.ts changed',
  fingerprint: undefined,
  from: undefined,
  differences: [
    { what: 'export', name: 'pom', change: 'changed' },
    { what: 'file', name: 'tests/pages/registration.ts', change: 'changed' },
    { what: 'file', name: 'tests/old.ts', change: 'removed' },
  ],
  notices: ['it declares no `inputs`, so any change of a tracked file runs it again'],
};
