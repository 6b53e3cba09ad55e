import fc from 'fast-check';
import { expect, it } from 'vitest';
import { devLoop } from '../../src/formats/dev-loop/dev-loop.ts';
import { NODE_GATES } from '../../src/formats/dev-loop/read.ts';
import type { HistoryEntry } from '../../src/history/history-entry.ts';
import type { JsonValue } from '../../src/json/json.ts';
import type { RunStatus, UnitStatus } from '../../src/report/view.ts';
import { fileOf, filesOf, unitOf, viewOf, valueIn } from './views.ts';

const STATE = 'workflow-state.json';

const runOf = (subject: string, run: number, status: HistoryEntry['status']): HistoryEntry => {
  const time = '2026-01-01T00:00:00.000Z';
  return { v: 1, pipeline: 'p', subject, run, status, started: time, ended: time, ms: 1_000, costUsd: 0.1, units: [] };
};

function sourceOf(status: RunStatus, units: Parameters<typeof viewOf>[1], documents: Record<string, string> = {}) {
  const values = new Map<string, JsonValue>([
    ['fetch-task', { id: 'REQ-1.1', title: 'Log in' }],
    ['generate-changes', { files: ['a'] }],
  ]);
  const history = [runOf('b', 3, 'completed'), runOf('a', 2, 'error'), runOf('a', 1, 'error'), runOf('b', 1, 'error')];
  const view = { ...viewOf(status, units, { language: 'ts' }, 'a'), run: 3, task: 'Log in' };
  return { view, values, history, documents };
}

const STATUSES: readonly UnitStatus[] = ['passed', 'passed', 'failed'];
const units = Object.values(NODE_GATES)
  .slice(0, 3)
  .map((id, number) => ({ ...unitOf(number, { status: STATUSES[number]!, remarks: ['no'] }), key: id, gate: id }));

it('writes the state of the graph, retries, tasks and sums', () => {
  const documents = { progress: '# Progress\n', 'learned-patterns': '# Learned Patterns\n', handoff: 'Continue.\n' };
  const source = sourceOf('error', units, documents);
  const written = devLoop.write(source);
  expect(Object.keys(written)).toEqual([STATE, 'progress.md', 'learned-patterns.md', 'handoff.md']);
  expect(valueIn(written, STATE)).toEqual({
    threadId: 'a',
    task: { id: 'REQ-1.1', title: 'Log in' },
    context: { language: 'ts' },
    changes: { files: ['a'] },
    testResults: null,
    status: 'failed',
    error: 'no',
    retryCount: 2,
    handoffContext: { document: 'Continue.\n' },
  });
  const histories = devLoop.writeHistory!(source);
  expect(valueIn(histories, 'retry-counts.json')).toEqual({ a: 2, b: 1 });
  expect(valueIn(histories, 'execution-state.json')).toMatchObject({
    prds: { a: { status: 'failed', run: 2 }, b: { status: 'done', run: 3 } },
  });
  expect(valueIn(histories, 'metrics.json')).toMatchObject({ runs: 4, completed: 1, failed: 3, costUsd: 0.4 });
});

it('imports the task, the changes and the documents, from a file or a step of the graph', () => {
  const state = valueIn(devLoop.write(sourceOf('executing', units)), STATE);
  const files = [fileOf('progress.md', '# Progress\n'), fileOf('metrics.json', {})];
  for (const value of [state, { channel_values: state }, { checkpoint: { channel_values: state }, metadata: {} }]) {
    const run = devLoop.read([fileOf(STATE, value), ...files]);
    expect(run).toMatchObject({ subject: 'a', task: 'Log in', documents: { progress: '# Progress\n' } });
    expect(run.gates.flatMap(({ gate, output }) => (output === undefined ? [] : [[gate, output]]))).toEqual([
      ['fetch-task', { id: 'REQ-1.1', title: 'Log in' }],
      ['generate-changes', { files: ['a'] }],
    ]);
    expect(run.notes).toEqual([
      'metrics.json is left out: metrics are computed from the history: `gateline history --stats`',
      'retryCount is left out: attempts are counted in the log',
    ]);
  }
});

it('takes the newest step of the graph, of the task that is meant', () => {
  const state = valueIn(devLoop.write(sourceOf('executing', units)), STATE) as object;
  const stepOf = (threadId: string, step: string, modified: number, changes: unknown = null) => ({
    ...fileOf(`checkpoints/${threadId}/${step}.json`, {
      checkpoint: { channel_values: { ...state, threadId, changes } },
    }),
    modified,
  });
  const unread = { ...fileOf('checkpoints/b/4.json', '{'), modified: 4 };
  const files = [stepOf('a', '1', 1), stepOf('a', '2', 2, { files: ['new'] }), stepOf('b', '3', 3), unread];
  expect(files.every(({ path }) => devLoop.isStateFile(path))).toBe(true);
  expect(devLoop.read(files)).toMatchObject({ subject: 'b' });
  const run = devLoop.read(files, 'a');
  expect(run.gates[1]).toMatchObject({ output: { files: ['new'] } });
  expect(run.notes[0]).toBe('checkpoints/a/2.json is the newest step of a');
});

it.each<[string, unknown, RegExp]>([
  [
    'changes without a task',
    { ...valueIn(devLoop.write(sourceOf('executing', units)), STATE), task: null },
    /\/changes/,
  ],
  [
    'a count that is none',
    { ...valueIn(devLoop.write(sourceOf('executing', units)), STATE), retryCount: -1 },
    /workflow-state/,
  ],
  ['no JSON', '{', /workflow-state\.json/],
])('refuses %s', (_, value, message) => expect(() => devLoop.read([fileOf(STATE, value)])).toThrow(message));

it('gives back what was written, for any run', () => {
  const value = fc.jsonValue({ maxDepth: 3 });
  const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(
      value,
      value,
      text,
      fc.dictionary(fc.constantFrom('progress', 'learned-patterns'), text),
      (task, changes, subject, documents) => {
        const view = viewOf('executing', units, {}, subject);
        const values = new Map([
          ['fetch-task', task],
          ['generate-changes', changes],
        ] as [string, JsonValue][]);
        const run = devLoop.read(filesOf(devLoop.write({ view, values, history: [], documents: { ...documents } })));
        expect(run.subject).toBe(subject);
        expect(run.documents).toEqual({ ...documents });
        expect(run.gates[1]!.output ?? null).toEqual(JSON.parse(JSON.stringify(changes)));
      },
    ),
    { numRuns: 50 },
  );
});
