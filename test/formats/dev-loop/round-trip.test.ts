import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loopStateSchema, NODE_GATES, taskWord } from '../../../src/formats/dev-loop/loop-state.ts';
import { readDevLoop } from '../../../src/formats/dev-loop/read.ts';
import { writeDevLoop } from '../../../src/formats/dev-loop/write.ts';
import { FileFindings } from '../../../src/formats/findings.ts';
import type { JsonObject, JsonValue } from '../../../src/json/json.ts';
import type { HistoryEntry } from '../../../src/history/entry.ts';
import { gate, pipelineOf } from '../../report/fixtures.ts';
import { drawn } from '../../support/samples.ts';
import { completed, exported, filesOf, outputsByGate, stories } from '../arbitrary-run.ts';
import { outputs, texts } from '../arbitrary-values.ts';

const word = texts.filter((text) => text.isWellFormed());
const something = outputs.filter((value) => value !== null);
const FILE = 'workflow-state.json';

/** States in which each node has what the one before it made. */
const loopStates = fc
  .record({
    threadId: word,
    reached: fc.nat(3),
    values: fc.tuple(something, something, something),
    context: outputs,
    status: word,
    error: fc.option(word),
    retryCount: fc.nat(1_000),
    handoffContext: outputs,
  })
  .map(({ threadId, reached, values, context, status, error, retryCount, handoffContext }) => {
    const [task = null, changes = null, testResults = null] = values.slice(0, reached) as readonly JsonValue[];
    return { threadId, task, context, changes, testResults, status, error, retryCount, handoffContext };
  });

describe("a state of dev-loop's graph", () => {
  it('is read as it is, key by key, and gives the task and the changes; documents stay byte for byte', () => {
    fc.assert(
      fc.property(loopStates, word, (state, document) => {
        const findings = new FileFindings();
        const text = JSON.stringify(state, null, 2);
        const value = findings.json({ path: FILE, bytes: Buffer.from(text) });
        expect(JSON.stringify(findings.shaped(loopStateSchema, value, FILE), null, 2)).toBe(text);
        const { run, problems } = readDevLoop(
          filesOf([
            { path: FILE, text },
            { path: 'progress.md', text: document },
          ]),
        );
        expect([problems, findings.problems]).toEqual([[], []]);
        const { task, changes } = state;
        const made = [
          ['fetch-task', task],
          ['generate-changes', changes],
        ] as const;
        expect(completed(run.gates)).toEqual(new Map(made.filter(([, output]) => output !== null)));
        expect(run.documents).toEqual([{ name: 'progress', text: document }]);
      }),
      drawn(500),
    );
  });
});

describe('a run that is exported to dev-loop', () => {
  it('is read with the same outputs, and has the words for its status', async () => {
    const seen = new Set<string>();
    const ids = Object.values(NODE_GATES).slice(0, 6);
    await fc.assert(
      fc.asyncProperty(stories({ ids, legs: false }, something), word, async (story, document) => {
        const made = await exported(story);
        const documents = [{ name: 'learned-patterns', text: document }];
        const run = { ...made, documents };
        const files = writeDevLoop(run);
        const { problems, run: read } = readDevLoop(filesOf(files));
        const all = outputsByGate(run);
        const changes = all.get(NODE_GATES.generateChanges);
        // Results of tests of changes that nobody has are a contradiction there, as after a skip without an output.
        const isOdd = changes === undefined && all.has(NODE_GATES.runTests);
        expect(problems.map(({ pointer }) => pointer)).toEqual(isOdd ? ['/testResults'] : []);
        const state = JSON.parse(files[0]!.text) as JsonObject;
        const { subject, status } = run.state;
        const title = run.state.task ?? run.pipeline.task ?? subject;
        const task = all.get(NODE_GATES.fetchTask) ?? { id: subject, title, status: taskWord(status) };
        expect(state).toMatchObject({ threadId: subject, status: taskWord(status), task });
        expect(state['testResults']).toEqual(all.get(NODE_GATES.runTests) ?? null);
        const expected = [
          ['fetch-task', task] as const,
          ...(changes === undefined ? [] : [['generate-changes', changes] as const]),
        ];
        expect(completed(read.gates)).toEqual(new Map(expected));
        expect(read.documents.find(({ name }) => name === 'learned-patterns')?.text).toBe(document);
        seen.add(status);
      }),
      drawn(1_000),
    );
    expect([...seen].toSorted()).toEqual(['completed', 'error', 'executing', 'initializing', 'rollback']);
  });
});

describe('tasks that were tried again', () => {
  it('are counted by the runs that failed before another one, and by the attempts of the exported run', async () => {
    const outcome = {
      end: 'failed',
      score: 0,
      output: undefined,
      label: '',
      message: '',
      issue: 'i',
      attempts: 3,
    } as const;
    const pipeline = pipelineOf([gate('fetch-task', 0)], { id: 'p', metadata: {} });
    const made = await exported({ pipeline, told: { 'fetch-task': outcome }, isRolledBack: false });
    const [own] = made.history;
    const entry = (subject: string, run: number, status: HistoryEntry['status'], id = 'p'): HistoryEntry => {
      return { ...own!, subject, run, status, pipeline: id };
    };
    const history = [
      entry('login', 1, 'error'),
      entry('login', 2, 'error'),
      entry('login', 3, 'completed'),
      entry('profile', 1, 'error'),
      entry('shop-cart', 1, 'error'),
      entry('shop-cart', 2, 'completed'),
      entry('shop-cart', 3, 'error'),
      entry('shop-cart', 4, 'error'),
      entry('other', 1, 'error', 'another'),
      entry('other', 2, 'error', 'another'),
    ];
    const files = writeDevLoop({ ...made, state: { ...made.state, runNumber: 3 }, history });
    const read = (name: string): unknown => JSON.parse(files.find(({ path }) => path === name)!.text);
    expect(read('retry-counts.json')).toEqual({ login: 2, 'shop-cart': 3 });
    expect(read('workflow-state.json')).toMatchObject({ threadId: 'shop-cart', retryCount: 3 });
  });
});
