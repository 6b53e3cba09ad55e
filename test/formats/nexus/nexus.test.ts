import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
  appendFileSync,
  copyFileSync,
} from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { SourceFile } from '../../../src/formats/exchange.ts';
import { FileFindings } from '../../../src/formats/findings.ts';
import { readNexus } from '../../../src/formats/nexus/read.ts';
import { workflowStateIn, workflowStateText } from '../../../src/formats/nexus/workflow-state.ts';
import { REPOSITORY } from '../../support/command-line.ts';
import { NEXUS_STATE } from '../hostile-files.ts';

const seed = (name: string): string => readFileSync(join(REPOSITORY, 'test/fixtures/seeds', name), 'utf8');

const state = (more: object = {}): Record<string, unknown> => ({
  ...NEXUS_STATE,
  metadata: { ...NEXUS_STATE.metadata, pluginsUsed: ['ald-system'], mcpsUsed: ['supabase'] },
  ...more,
});

const file = (path: string, value: unknown, modified = 0): SourceFile => ({
  path,
  bytes: Buffer.from(typeof value === 'string' ? value : JSON.stringify(value, null, 2)),
  modified,
});

const CURRENT = '.current-workflow.json';

describe('a workflow state', () => {
  it('is written as it was read, byte for byte', () => {
    const text = JSON.stringify(state(), null, 2);
    const findings = new FileFindings();
    expect(workflowStateText(workflowStateIn(JSON.parse(text), CURRENT, findings)!)).toBe(text);
    expect(findings.problems).toEqual([]);
  });

  it.each([
    ['/id', { id: '' }],
    ['/workflowName', { workflowName: '' }],
    ['/userTask', { userTask: '' }],
    ['/status', { status: '' }],
    ['/endTime', { status: 'COMPLETED', currentPhase: null }],
    ['/error', { status: 'ERROR' }],
    ['/currentPhase', { currentPhase: null }],
    ['/completedPhases/1', { failedPhases: ['design'] }],
    ['/endTime', { endTime: 1 }],
  ])('breaks a rule at %s', (pointer, more) => {
    const { problems, run } = readNexus([file(CURRENT, state(more))]);
    expect(problems.map((one) => one.pointer)).toContain(pointer);
    expect(run.gates).toEqual([]);
  });

  it('names every field of another shape', () => {
    const { problems } = readNexus([file(CURRENT, state({ retries: { plan: -1 }, checkpoints: [{ id: 'x' }] }))]);
    expect(problems.map((one) => one.pointer)).toEqual(
      expect.arrayContaining(['/retries/plan', '/checkpoints/0/phase', '/checkpoints/0/filesSnapshot']),
    );
  });

  it('names a completed phase without a result', () => {
    const { run, notes } = readNexus([file(CURRENT, state({ results: { plan: { steps: 5 } } }))]);
    expect(run.gates.map(({ output }) => output)).toEqual([{ steps: 5 }, null, undefined]);
    expect(notes).toEqual(['design is completed and has no result: its output is null']);
  });

  it('gives gates in order, with the results of completed phases', () => {
    const { run, notMoved } = readNexus([file(CURRENT, state())]);
    expect(run).toMatchObject({
      pipeline: 'feature-full',
      subject: 'workflow-20251029-123456',
      keys: { task: 'implement checkout' },
      gates: [
        { gate: 'plan', needs: [], output: { steps: 5 }, place: { pointer: '/results/plan' } },
        { gate: 'design', needs: ['plan'], output: 'done' },
        { gate: 'build', needs: ['design'] },
      ],
    });
    expect(notMoved.map(({ pointer }) => pointer)).toEqual(['/workflowFile', '/startTime', '/metadata']);
  });

  it('names phases that are only counted: a new definition lacks them', () => {
    const reasonFor = (totalPhases: number): string | undefined => {
      const metadata = { ...NEXUS_STATE.metadata, totalPhases };
      const more = { skippedPhases: ['probe'], status: 'EXECUTING', currentPhase: 'build', endTime: null, metadata };
      const { notMoved } = readNexus([file(CURRENT, state(more))]);
      return notMoved.find(({ pointer }) => pointer === '/metadata/totalPhases')?.reason;
    };
    expect(reasonFor(3)).toBeUndefined();
    expect(reasonFor(9)).toBe('a new definition has 3 of 9 phases: the state does not name others that run');
  });

  it('may have checkpoints without a snapshot of a database', () => {
    const checkpoint = { id: 'checkpoint-1', phase: 'plan', timestamp: 1, filesSnapshot: [] };
    const { problems, run } = readNexus([file(CURRENT, state({ checkpoints: [checkpoint] }))]);
    expect([problems, run.gates.length]).toEqual([[], 3]);
  });

  it('gives no outputs of a workflow that was rolled back', () => {
    const { run, notMoved } = readNexus([file(CURRENT, state({ status: 'ROLLBACK' }))]);
    expect(run.gates.map(({ output }) => output)).toEqual([undefined, undefined, undefined]);
    expect(notMoved.map(({ pointer }) => pointer)).toContain('/completedPhases');
  });
});

describe('backups', () => {
  const other = state({ id: 'workflow-20251030-101010' });

  it('of the same workflow take the place of a damaged state, the newest valid one', () => {
    const { run, problems, notes } = readNexus([
      file(CURRENT, state({ status: 'ERROR' })),
      file('backups/a.json', state({ results: { plan: 'old' } }), 1),
      file('backups/b.json', state({ results: { plan: 'new' } }), 2),
      file('backups/c.json', '{"id": ', 3),
      file('backups/d.json', other, 4),
    ]);
    expect(problems).toEqual([]);
    expect(run.gates[0]).toMatchObject({ output: 'new', place: { file: 'backups/b.json' } });
    expect(notes.join('\n')).toMatch(/d\.json is not used: it is of workflow-20251030-101010[^]*b\.json is used/);
  });

  it('of another workflow do not', () => {
    const { problems } = readNexus([
      file(CURRENT, '{'),
      file('backups/d.json', other),
      file('executions.jsonl', seed('nexus-executions.jsonl')),
    ]);
    expect(problems).toMatchObject([{ file: CURRENT, pointer: '' }]);
  });

  it('are found by the id at the start of a state that was cut off', () => {
    const cut = file(CURRENT, JSON.stringify(state({})).slice(0, 200));
    const executions = file('executions.jsonl', seed('nexus-executions.jsonl'));
    const { problems, run } = readNexus([cut, file('backups/x.json', state({})), executions]);
    expect(problems).toEqual([]);
    expect(run.subject).toBe('workflow-20251029-123456');
    const [none] = readNexus([cut, file('backups/d.json', other), executions]).problems;
    expect(none?.message).toMatch(/No backup is used: none of workflow-20251029-123456 is valid/);
    const [unknown] = readNexus([file(CURRENT, '{'), file('backups/d.json', other)]).problems;
    expect(unknown?.message).toMatch(/No backup is used: nothing says which workflow was active/);
  });

  it('are found by the last execution if the state cannot be parsed', () => {
    const last = state({ id: 'workflow-20251029-163018' });
    const { problems, run } = readNexus([
      file(CURRENT, '{'),
      file('backups/x.json', last),
      file('executions.jsonl', seed('nexus-executions.jsonl')),
    ]);
    expect(problems).toEqual([]);
    expect(run.subject).toBe('workflow-20251029-163018');
  });
});

describe('executions.jsonl', () => {
  it('gives an entry for each execution', () => {
    const { run } = readNexus([file('executions.jsonl', seed('nexus-executions.jsonl'))]);
    expect(run.history).toMatchObject([
      {
        pipeline: 'feature-full',
        subject: 'workflow-20251029-123456',
        task: 'implement checkout',
        status: 'completed',
        ms: 4_500_000,
        passed: 10,
      },
      { pipeline: 'bugfix', status: 'completed', ms: 1_200_000 },
      { pipeline: 'feature-quick', status: 'error', passed: 4 },
    ]);
  });

  it('uses the last valid line of an execution, and says so', () => {
    const [first = ''] = seed('nexus-executions.jsonl').split('\n');
    const later = first.replace('4500000', '5000000');
    const { run, notes, notMoved } = readNexus([file('executions.jsonl', `${first}\n${later}\n{"id":"workflow-2`)]);
    expect(run.history).toMatchObject([{ ms: 5_000_000 }]);
    expect(notes).toEqual(['executions.jsonl: workflow-20251029-123456 has several lines; the last valid one is used']);
    expect(notMoved).toEqual([{ file: 'executions.jsonl', pointer: '/2', reason: 'this line is not an execution' }]);
  });
});

describe('lines of executions.jsonl', () => {
  const line = (more: object): string =>
    JSON.stringify({ ...JSON.parse(seed('nexus-executions.jsonl').split('\n')[0]!), ...more });
  const read = (...lines: string[]): ReturnType<typeof readNexus> =>
    readNexus([file('executions.jsonl', lines.join('\n'))]);

  it('that are damaged hide no earlier one', () => {
    const { run, notMoved } = read(line({ phasesCompleted: 3 }), line({ timestamp: 8.64e15 }), line({}).slice(0, 40));
    expect(run.history.map(({ passed }) => passed)).toEqual([3]);
    expect(notMoved.map(({ pointer }) => pointer)).toEqual(['/1', '/2']);
  });

  it('are only named as not over if they are the last of their execution', () => {
    const open = { status: 'EXECUTING', duration: null };
    const { run, notMoved } = read(line(open), line({}), line({ ...open, id: 'workflow-20251029-999999' }));
    expect(run.history).toHaveLength(1);
    expect(notMoved.map(({ pointer }) => pointer)).toEqual(['/2']);
  });

  it('are read as strictly as any JSON', () => {
    const twice = line({}).replace('{', '{"id":"other",');
    const { run, notMoved } = read(twice, line({ userTask: '\u{1}' }).replace(String.raw`\u0001`, String.raw`\ud800`));
    expect(run.history).toEqual([]);
    expect(notMoved).toHaveLength(2);
  });

  it('are refused in a file of something else, and soon', { timeout: 5_000 }, () => {
    const { problems, notMoved, run } = readNexus([file('executions.jsonl', 'x\n'.repeat(4_000_000))]);
    expect(problems).toEqual([
      { file: 'executions.jsonl', pointer: '/1000', message: 'more than 1000 lines are not executions' },
    ]);
    expect(notMoved).toHaveLength(1_000);
    expect(run.history).toEqual([]);
  });
});

describe('long lists', () => {
  it('take no time that grows with their square', { timeout: 60_000 }, () => {
    const began = process.cpuUsage();
    const names = (word: string): string[] => Array.from({ length: 100_000 }, (_, index) => `${word}${index}`);
    const lists = { completedPhases: names('a'), failedPhases: names('b') };
    expect(readNexus([file(CURRENT, state(lists))]).problems.map(({ pointer }) => pointer)).toEqual([
      '/completedPhases',
      '/failedPhases',
    ]);
    const results = Object.fromEntries(names('r').map((name) => [name, 1]));
    const { notMoved, notes } = readNexus([file(CURRENT, state({ results }))]);
    expect(notMoved).toHaveLength(1_000);
    expect(notes.at(-1)).toMatch(/^\d+ more parts are not moved, and not listed$/);
    expect(process.cpuUsage(began).user / 1_000).toBeLessThan(5_000);
  });
});

describe('defaults.yml', () => {
  it('is mapped key by key', () => {
    const { run, notMoved, problems } = readNexus([file('defaults.yml', seed('nexus-defaults.yml'))]);
    expect(problems).toEqual([]);
    expect(run.keys).toEqual({ snapshots: { every: 2 }, retention: { older: '30d', every: '7d' } });
    const named = notMoved.map(({ pointer }) => pointer.replace('/state_manager/', ''));
    const keys = [...seed('nexus-defaults.yml').matchAll(/^ {2}(\w+):/gm)].map(([, key]) => key!);
    const mapped = ['checkpoint_interval', 'retention_days', 'cleanup_interval_days'];
    expect([...named, ...mapped].toSorted()).toEqual(keys.toSorted());
  });

  it.each([
    ['an alias', 'a: &x 1\nstate_manager: {b: *x}'],
    ['a tag', 'state_manager: !!map {}'],
    ['a merge key', 'state_manager:\n  <<: {a: 1}'],
  ])('is refused with %s', (_, text) => {
    expect(readNexus([file('defaults.yml', text)]).problems).not.toEqual([]);
  });
});

describe("the seed's own functions", () => {
  const home = mkdtempSync(join(tmpdir(), 'nexus-'));
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  it('write files that are read', async () => {
    const folder = join(home, '.claude/skills/nexus/history');
    mkdirSync(join(folder, 'backups'), { recursive: true });
    const source = stripTypeScriptTypes(seed('nexus-functions.txt'));
    const names = ['persistState', 'generateDailySummary', 'saveDailySummary', 'validateState'];
    const given = {
      fileExists: existsSync,
      copyFile: copyFileSync,
      writeFile: (path: string, text: string) => writeFileSync(path, text),
      readFile: (path: string) => readFileSync(path, 'utf8'),
      appendToFile: (path: string, text: string) => {
        mkdirSync(dirname(path), { recursive: true });
        appendFileSync(path, text);
      },
      expandPath: (path: string) => path.replace('~', home),
    };
    const made = join(home, 'nexus.mjs');
    const { keys } = Object;
    writeFileSync(
      made,
      `export default ({ ${keys(given).join(', ')} }) => {${source}\nreturn { ${names.join(', ')} };};`,
    );
    const make = ((await import(made)) as { default: (all: object) => Record<string, (...all: unknown[]) => unknown> })
      .default;
    const nexus = make(given);
    const ended = state({ status: 'COMPLETED', currentPhase: null, endTime: 1_761_741_999_000 });
    expect(nexus['validateState']!(ended)).toEqual({ valid: true, errors: [] });
    nexus['persistState']!(state());
    nexus['persistState']!(ended);
    nexus['saveDailySummary']!(nexus['generateDailySummary']!('2025-10-29'));
    const paths = [CURRENT, 'executions.jsonl', 'daily-summary.json', 'backups/workflow-20251029-123456.json'];
    const files = paths.map((path) => file(path, readFileSync(join(folder, path), 'utf8')));
    const { run, problems, notes } = readNexus(files);
    expect(problems).toEqual([]);
    expect(notes).toEqual(['executions.jsonl: workflow-20251029-123456 has several lines; the last valid one is used']);
    expect(run.history).toMatchObject([
      { status: 'completed', passed: 2, plugins: ['ald-system'], mcps: ['supabase'], ms: 703_000 },
    ]);
    expect(run.gates.map(({ gate }) => gate)).toEqual(['plan', 'design']);
  });
});
