import { describe, expect, it } from 'vitest';
import { annotationsOf } from '../../../src/report/github/annotations.ts';
import { findingsOf, placeAt } from '../../../src/report/github/findings.ts';
import { containedPath } from '../../../src/report/github/named-place.ts';
import type { JsonValue } from '../../../src/json/json.ts';
import type { EndedRecord } from '../../../src/run/records/record.ts';
import { failedRun, ran, started, stateOf } from '../fixtures.ts';
import { EXECUTE_OUTPUT, failedInput, WORKSPACE } from './fixtures.ts';

const place = { file: 'src/a.ts', line: 12 };

describe('what an output says of files', () => {
  it.each<[string, JsonValue, object]>([
    ['file, line, message', { file: 'src/a.ts', line: 12, message: 'm' }, { ...place, level: 'notice', message: 'm' }],
    [
      'a line as text',
      { path: './src/a.ts', line: '12', description: 'm', severity: 'HIGH' },
      { ...place, level: 'error' },
    ],
    ['a compiler’s place', { location: 'src/a.ts:12:3', message: 'm' }, { ...place, column: 3 }],
    ['a place in the file’s name', { file: 'src\\a.ts:12', text: 'm' }, place],
    [
      'Playwright',
      { title: 't', message: 'm', location: { file: 'src/a.ts', line: 12, column: 3 } },
      { ...place, column: 3 },
    ],
    [
      'SARIF',
      {
        runs: [
          {
            results: [
              {
                level: 'warning',
                message: { text: 'm' },
                locations: [
                  {
                    physicalLocation: { artifactLocation: { uri: 'src/a.ts' }, region: { startLine: 12, endLine: 14 } },
                  },
                ],
              },
            ],
          },
        ],
      },
      { ...place, endLine: 14, level: 'warning', message: 'm' },
    ],
    [
      'ESLint',
      [{ filePath: `${WORKSPACE}/src/a.ts`, messages: [{ line: 12, severity: 2, message: 'm', ruleId: 'r' }] }],
      { ...place, level: 'error', message: 'm' },
    ],
    [
      'Code Climate',
      { description: 'm', severity: 'minor', location: { path: 'src/a.ts', lines: { begin: 12 } } },
      { ...place, level: 'warning' },
    ],
    ['LSP', { message: 'm', uri: 'src/a.ts', range: { start: { line: 12, character: 3 } } }, { ...place, column: 3 }],
  ])('is found as %s', (_name, value, expected) => {
    expect(findingsOf({ deep: [{ er: value }] }, { workspace: WORKSPACE })).toMatchObject([expected]);
  });

  it.each<[string, JsonValue]>([
    ['no message', { file: 'src/a.ts', line: 1 }],
    ['neither line nor severity', { path: 'src/a.ts', description: 'a page object' }],
    ['a test that passed', { file: 'src/a.ts', line: 1, title: 'works', status: 'passed' }],
    ['a finding that is fixed', { file: 'src/a.ts', line: 1, message: 'm', state: 'resolved' }],
    ['a path that climbs', { file: '../a.ts', line: 1, message: 'm' }],
    ['an empty message', { file: 'src/a.ts', line: 1, message: '  ' }],
  ])('is not found in %s', (_name, value) => {
    expect(findingsOf(value)).toEqual([]);
  });

  it('is each said once, in order, and never more than can be looked at', () => {
    const one = (line: number) => ({ file: 'a.ts', line, message: 'm' });
    expect(findingsOf([one(2), one(1), one(2)]).map(({ line }) => line)).toEqual([2, 1]);
    expect(findingsOf(Array.from({ length: 5_000 }, (_, at) => one(at + 1)))).toHaveLength(1_000);
    let deep: JsonValue = one(1);
    for (let depth = 0; depth < 5_000; depth += 1) deep = [deep];
    expect(findingsOf(deep)).toHaveLength(1);
  });

  it('is found from a pointer: there, or at the nearest object around it that names a line', () => {
    const value = { results: [{ file: 'a.ts', line: 3, score: { deep: 1 } }], file: 'b.ts' };
    expect(placeAt(value, '/results/0/score/deep')).toEqual({ file: 'a.ts', line: 3 });
    expect(placeAt(value, '/results/0/score/absent/x')).toEqual({ file: 'a.ts', line: 3 });
    for (const pointer of ['', '/file', '/results', '/results/-1', 'results', '/__proto__/x', '/constructor'])
      expect(placeAt(value, pointer)).toBeUndefined();
  });
});

describe('a path', () => {
  it.each([
    ['src/a.ts', 'src/a.ts'],
    ['./src//a.ts', 'src/a.ts'],
    ['src\\a b.ts', 'src/a b.ts'],
    [`${WORKSPACE}/src/a.ts`, 'src/a.ts'],
    ['.github/workflows/x.yml', '.github/workflows/x.yml'],
    ['漢字.ts', '漢字.ts'],
  ])('%j is one of the repository', (path, expected) => {
    expect(containedPath(path, { workspace: WORKSPACE })).toBe(expected);
  });

  it.each([
    '',
    '.',
    '/',
    '/etc/passwd',
    '../a',
    'a/../../b',
    'a/..',
    'C:\\a',
    'c:/a',
    '\\\\host\\share',
    '~/a',
    'file:///a',
    'https://evil.example/a',
    '.git/config',
    '.GIT/hooks/x',
    '.git /x',
    'a\nb',
    'a\u202eb',
    'a\0b',
    'a\ud800',
    '##[error]x',
    `${WORKSPACE}-other/a`,
    `${WORKSPACE}/../a`,
    'a'.repeat(2_000),
  ])('%j is none', (path) => {
    expect(containedPath(path, { workspace: WORKSPACE })).toBeUndefined();
  });
});

describe('annotations', () => {
  const units = (state = failedInput().state) => [...state.units.values()];
  const failedWith = (issues: EndedRecord['verdict']['issues'], status: 'failed' | 'passed' = 'failed') => {
    const kind = status === 'failed' ? 'schema' : 'passed';
    return units(
      stateOf(ran('data', {}, { verdict: { status, kind, score: 0, issues, advice: 'Do it.' } })).state,
    ).slice(0, 1);
  };

  it('tell of each issue with its file and line, then of what the output says, what failed first', () => {
    const values = new Map<string, JsonValue>([['execute', EXECUTE_OUTPUT]]);
    expect(annotationsOf({ units: units(), values, workspace: WORKSPACE })).toEqual([
      expect.objectContaining({
        level: 'error',
        title: 'Gate execute: failed (check)',
        file: 'tests/registration.spec.ts',
        line: 41,
      }),
      expect.objectContaining({ level: 'error', message: EXECUTE_OUTPUT.failures[0]!.message, line: 41, column: 7 }),
      expect.objectContaining({ level: 'error', file: 'tests/pages/registration.ts', line: 12, column: 3 }),
      expect.objectContaining({ level: 'warning', title: 'Gate execute: failed (check)', message: '2 tests are slow' }),
      expect.objectContaining({ level: 'warning', title: 'Gate dom: passed' }),
    ]);
  });

  it('tell of a gate that is stuck and names no error, and of nothing else', () => {
    expect(annotationsOf({ units: failedWith([]) })).toEqual([
      { level: 'error', title: 'Gate data: failed (schema)', message: expect.stringContaining('Do it.') as string },
    ]);
    const lost = stateOf([started('data')], { deadWriters: new Set(['host|boot|7|1']) }).state;
    expect(annotationsOf({ units: units(lost) })).toEqual([
      { level: 'error', title: 'Gate data: lost', message: expect.stringContaining('its process is gone') as string },
    ]);
    expect(annotationsOf({ units: units(stateOf(ran('data')).state) })).toEqual([]);
  });

  it('say once that a score is too low: of a gate that waits as a notice, of one that is stuck as an error', () => {
    const issue = { severity: 'warning', message: 'the score is 50, below the threshold of 80' } as const;
    const remark = { severity: 'notice', message: 'a remark' } as const;
    const verdict = {
      status: 'partial',
      kind: 'partial',
      score: 50,
      issues: [issue, remark],
      advice: 'More.',
    } as const;
    const [unit] = units(stateOf(ran('data', {}, { verdict: { ...verdict, issues: [...verdict.issues] } })).state);
    const told = (status: 'paused' | 'partial', done = false): string[] =>
      annotationsOf({ units: [{ ...unit!, status, done, reason: 'too low' }] }).map(
        (one) => `${one.level}: ${one.message}`,
      );
    expect(told('paused')).toEqual(['notice: too low', 'notice: a remark']);
    expect(told('partial')).toEqual(['error: too low', 'notice: a remark']);
    expect(told('partial', true)).toEqual([`warning: ${issue.message}`, 'notice: a remark']);
  });

  it('of a gate that passed are no errors', () => {
    const found = annotationsOf({
      units: failedWith([{ severity: 'error', message: 'm' }], 'passed'),
      values: new Map([['data', { file: 'a.ts', line: 1, message: 'n', severity: 'error' }]]),
    });
    expect(found.map(({ level, message }) => [level, message])).toEqual([
      ['warning', 'm'],
      ['warning', 'n'],
    ]);
  });

  it('are never more of a level than GitHub shows, the last one counting the rest', () => {
    const issues = (['error', 'warning'] as const).flatMap((severity) =>
      Array.from({ length: severity === 'error' ? 30 : 10 }, (_, at) => ({ severity, message: `${severity} ${at}` })),
    );
    const found = annotationsOf({ units: failedWith(issues), room: { error: 9 } });
    const of = (level: string) => found.filter((one) => one.level === level);
    expect(of('error')).toHaveLength(9);
    expect(of('error').at(-1)!.message).toContain('22 more errors');
    expect(of('warning').map(({ message }) => message)).toEqual(Array.from({ length: 10 }, (_, at) => `warning ${at}`));
    expect(annotationsOf({ units: failedWith(issues), room: { error: 0, warning: 99 } })).toHaveLength(10);
  });

  it('say each thing once', () => {
    const issue = { severity: 'error', message: 'm' } as const;
    expect(
      annotationsOf({ units: [...failedWith([issue, issue]), ...units(failedRun().state).slice(0, 1)] }),
    ).toHaveLength(1);
  });
});
