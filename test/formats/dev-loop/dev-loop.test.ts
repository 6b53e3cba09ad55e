import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readDevLoop } from '../../../src/formats/dev-loop/read.ts';
import type { SourceFile } from '../../../src/formats/exchange.ts';
import { LOOP_STATE } from '../hostile-files.ts';
import { REPOSITORY } from '../../support/command-line.ts';

const seed = (name: string): string => readFileSync(join(REPOSITORY, 'test/fixtures/seeds', name), 'utf8');
const file = (path: string, value: unknown): SourceFile => ({
  path,
  bytes: Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)),
  modified: 0,
});

describe('the files of dev-loop', () => {
  it('give the seven nodes as gates, and the documents byte for byte', () => {
    const names = ['progress.md', 'learned-patterns.md'];
    const { run, problems, notMoved } = readDevLoop([
      file('workflow-state.json', LOOP_STATE),
      ...names.map((name) => file(name, seed(name))),
      file('retry-counts.json', { 'REQ-1.1': 2 }),
    ]);
    expect(problems).toEqual([]);
    expect(run.documents).toEqual([
      { name: 'progress', text: seed('progress.md') },
      { name: 'learned-patterns', text: seed('learned-patterns.md') },
    ]);
    expect(run.keys).toEqual({ task: 'Implement user authentication' });
    expect(run.gates.map(({ gate, needs, output }) => [gate, needs, output !== undefined])).toEqual([
      ['fetch-task', [], true],
      ['generate-changes', ['fetch-task'], true],
      ['apply-changes', ['generate-changes'], false],
      ['run-tests', ['apply-changes'], false],
      ['analyze-results', ['run-tests'], false],
      ['handle-success', ['analyze-results'], false],
      ['handle-failure', ['analyze-results'], false],
    ]);
    expect(notMoved.map(({ file: name, pointer }) => name + pointer)).toEqual([
      'retry-counts.json',
      'workflow-state.json/threadId',
      'workflow-state.json/retryCount',
      'workflow-state.json/handoffContext',
    ]);
  });

  it.each([
    ['/changes', 'workflow-state.json', { ...LOOP_STATE, task: null }],
    ['/testResults', 'workflow-state.json', { ...LOOP_STATE, changes: null, testResults: {} }],
    ['/retryCount', 'workflow-state.json', { ...LOOP_STATE, retryCount: -1 }],
    ['/REQ', 'retry-counts.json', { REQ: 1.5 }],
    ['', 'metrics.json', []],
  ])('are refused at %s of %s', (pointer, name, value) => {
    expect(readDevLoop([file(name, value)]).problems).toMatchObject([{ file: name, pointer }]);
  });

  it.each([
    ['/channel_values', (values: unknown) => ({ v: 4, id: 'x', channel_values: values })],
    ['/checkpoint/channel_values', (values: unknown) => ({ checkpoint: { channel_values: values }, metadata: {} })],
  ])('give the state in a checkpoint of the graph, at %s', (at, checkpoint) => {
    const own = readDevLoop([file('workflow-state.json', LOOP_STATE)]);
    const channels = { ...LOOP_STATE, 'branch:to:runTests': null };
    const { run, problems, notMoved } = readDevLoop([file('checkpoints/prd-1/7.json', checkpoint(channels))]);
    expect(problems).toEqual([]);
    expect(run.subject).toBe('prd-1');
    expect(run.gates.map(({ gate, output }) => [gate, output])).toEqual(
      own.run.gates.map(({ gate, output }) => [gate, output]),
    );
    expect(run.gates[0]?.place).toEqual({ file: 'checkpoints/prd-1/7.json', pointer: `${at}/task` });
    expect(notMoved.map(({ pointer }) => pointer)).toEqual(own.notMoved.map(({ pointer }) => at + pointer));
    const odd = readDevLoop([file('7.json', checkpoint({ ...LOOP_STATE, retryCount: -1, task: null }))]);
    expect(odd.problems.map(({ pointer }) => pointer)).toEqual([`${at}/retryCount`]);
  });

  it('are refused if two files are one document or the state', () => {
    const { problems } = readDevLoop([
      file('a/progress.md', 'x'),
      file('b/progress.md', 'y'),
      file('a.json', LOOP_STATE),
      file('b.json', LOOP_STATE),
    ]);
    expect(problems.map((one) => one.file)).toEqual(['b.json', 'progress.md']);
  });
});
