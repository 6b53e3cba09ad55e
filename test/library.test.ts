import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  addLearnings,
  apply,
  beginGate,
  compareRuns,
  completeGate,
  createMemoryMedium,
  createMemoryStore,
  dailySummary,
  decide,
  decideRun,
  definePipeline,
  exportFiles,
  fork,
  gatesOf,
  gateStatistics,
  importFiles,
  loadPipeline,
  localPorts,
  lockWorkspace,
  memoryDocuments,
  openFilesystemStore,
  openHistory,
  openWorkspace,
  PipelineInvalidError,
  planPipeline,
  queryGates,
  queryRuns,
  readRun,
  rebuildHistory,
  resume,
  rollback,
  runPipeline,
  runSet,
  setTasks,
  runsOf,
  runStatistics,
  snapshots,
  type Assignment,
  type EnginePorts,
  type RecordStore,
  type VersionedSchema,
} from '../src/index.ts';
import {
  applyShape,
  beginShape,
  completionShape,
  decisionShape,
  importShape,
  howShape,
  originShape,
  planShape,
  rollbackShape,
  runDecisionShape,
  runShape,
  setOrderShape,
} from '../src/local/library-shapes.ts';
import { plainEnvironment, REPOSITORY, startNode } from './support/command-line.ts';
import { ScratchWorkspace } from './support/scratch-workspace.ts';

const page = readFileSync(join(REPOSITORY, 'docs/reference/library.md'), 'utf8');
const blocks = [...page.matchAll(/^```(ts|text)\n([^]*?)^```$/gm)].map(([, kind, text]) => ({ kind, text: text! }));
const examples = blocks.flatMap(({ kind, text }, at) =>
  kind === 'ts' ? [{ code: text, prints: blocks[at + 1]!.text }] : [],
);

/** By the heading of the table that describes them. */
const LIBRARY_SHAPES = {
  '`runPipeline`': runShape,
  '`runSet`': setOrderShape,
  '`resume`': howShape,
  '`fork`': originShape,
  '`decide`': decisionShape,
  '`decideRun`': runDecisionShape,
  '`planPipeline`': planShape,
  '`beginGate`': beginShape,
  '`completeGate`': completionShape,
  '`apply`': applyShape,
  '`rollback`': rollbackShape,
  '`importFiles`': importShape,
};

describe('docs/reference/library.md', () => {
  it.each(Object.entries(LIBRARY_SHAPES))('describes every key of %s', (name, shape) => {
    const section = page.split(/^##+ /m).find((one) => one.startsWith(name))!;
    const described = [...section.matchAll(/^\| `(\w+)`/gm)].map(([, key]) => key);
    expect(new Set(described)).toEqual(new Set(Object.keys(shape.shape)));
  });

  it.each(examples)('example %# runs and prints what it says', async ({ code, prints }) => {
    await using workspace = await ScratchWorkspace.create({ 'README.md': 'a workspace' });
    const library = pathToFileURL(join(REPOSITORY, 'src/index.ts')).href;
    const script = workspace.beside('example.ts');
    await workspace.write('../example.ts', code.replaceAll("from 'gateline'", `from ${JSON.stringify(library)}`));
    const result = await startNode(script, [], { cwd: workspace.root, env: plainEnvironment() }).ended;
    expect(result.stderr).toBe('');
    expect(result.stdout).toBe(prints);
    expect(result.code).toBe(0);
  });
});

const WRITES = (value: object): string =>
  `node -e 'fs.writeFileSync(process.env.GATELINE_OUTPUT, ${JSON.stringify(JSON.stringify(value))})'`;

interface Setting {
  readonly assignment: Assignment;
  readonly ports: () => Promise<EnginePorts>;
}

function setting(root: string, definition: object, store?: RecordStore): Setting {
  const pipeline = definePipeline(definition);
  return {
    assignment: { pipeline, subject: 'subject', metadata: pipeline.metadata, input: null },
    ports: () => {
      const place = { root, isDefault: true, pipeline };
      return localPorts({ place, environment: plainEnvironment(), ...(store && { store }) });
    },
  };
}

const silent = { observe: () => undefined, signal: new AbortController().signal };

describe('a pipeline in code', () => {
  it('is refused with every problem at once', () => {
    const define = () => definePipeline({ gates: { a: { needs: 'b', rnu: 'x' } } });
    expect(define).toThrow(PipelineInvalidError);
    try {
      define();
    } catch (error) {
      expect((error as PipelineInvalidError).problems.map((problem) => problem.code).toSorted()).toEqual([
        'KEY_UNKNOWN',
        'NEED_UNKNOWN',
      ]);
    }
  });

  it('runs, plans, decides and is read, with everything in memory', async () => {
    await using workspace = await ScratchWorkspace.create({ 'README.md': 'x' });
    const store = createMemoryStore(createMemoryMedium());
    const gates = { a: { run: WRITES({ x: 1 }), inputs: [] }, b: { needs: 'a', run: 'exit 3', inputs: [] } };
    const { assignment, ports } = setting(workspace.root, { pipeline: 'p', gates }, store);
    expect((await planPipeline(await ports(), assignment)).plan.units.map((unit) => unit.choice)).toEqual([
      'run',
      'depends',
    ]);
    const result = await runPipeline(await ports(), assignment, silent);
    expect(result.state.status).toBe('error');
    await decide(await ports(), assignment, { decision: 'skip', gates: ['b'], actor: 'me', reason: 'not now' });
    expect((await readRun(await ports(), assignment)).status).toBe('completed');
    expect((await readRun(await ports(), assignment, 7)).status).toBe('initializing');
  });
});

describe('a run that goes on in another way', () => {
  const by = { actor: 'me', reason: 'because' };
  const gates = { a: { run: WRITES({ x: 1 }), inputs: [] }, b: { needs: 'a', run: WRITES({ y: 1 }), inputs: [] } };

  it('is resumed from a gate, and also after a pause', async () => {
    await using workspace = await ScratchWorkspace.create({ 'README.md': 'x' });
    const { assignment, ports } = setting(workspace.root, { pipeline: 'p', gates }, createMemoryStore());
    await runPipeline(await ports(), { ...assignment, maxGates: 1 }, silent);
    await decideRun(await ports(), assignment, { ...by, decision: 'pause' });
    expect((await runPipeline(await ports(), assignment, silent)).state.status).toBe('paused');
    const how = { ...by, strategy: 'from-checkpoint', from: ['a'] } as const;
    const resumed = await resume(await ports(), assignment, how, silent);
    expect(resumed.state).toMatchObject({ runNumber: 1, status: 'completed' });
    expect(resumed.planned.map(({ key, choice }) => `${key} ${choice}`)).toEqual(['a run', 'b run']);
    await expect(resume(await ports(), assignment, by, silent)).rejects.toMatchObject({ code: 'RUN_COMPLETED' });
  });

  it('is forked from a gate, and the open run is closed if that is asked for', async () => {
    await using workspace = await ScratchWorkspace.create({ 'README.md': 'x' });
    const { assignment, ports } = setting(workspace.root, { pipeline: 'p', gates }, createMemoryStore());
    await runPipeline(await ports(), assignment, silent);
    const origin = { ...by, subject: 'subject', runNumber: 1, gate: 'b' };
    const { state, planned } = await fork(await ports(), assignment, origin, silent);
    expect(planned.map(({ key, choice }) => `${key} ${choice}`)).toEqual(['a reuse', 'b run']);
    expect(state).toMatchObject({ runNumber: 2, status: 'completed' });
    expect(state.decided.forked).toMatchObject({
      actor: 'me',
      origin: { subject: 'subject', runNumber: 1, gate: 'b' },
    });
    await fork(await ports(), { ...assignment, maxGates: 1 }, { ...origin, gate: 'a' }, silent);
    const open = fork(await ports(), assignment, origin, silent);
    await expect(open).rejects.toMatchObject({ code: 'RUN_OPEN', hint: expect.stringContaining('fresh: true') });
    const closed = await fork(await ports(), assignment, { ...origin, fresh: true }, silent);
    expect(closed.state).toMatchObject({ runNumber: 4, status: 'completed' });
    const unknown = { ...origin, runNumber: 9 };
    await expect(fork(await ports(), assignment, unknown, silent)).rejects.toMatchObject({ code: 'RUN_UNKNOWN' });
  });
});

describe('an argument of another shape', () => {
  const by = { actor: 'me', reason: 'because' };
  const pipeline = definePipeline({ pipeline: 'p', gates: { a: { run: 'exit 0' } } });
  const assignment = { pipeline, subject: 'subject', metadata: {}, input: null };
  // Programs in JavaScript know no types.
  const given = (value: unknown) => value as never;
  const ports = given({});

  it.each<[string, () => Promise<unknown>, string, string]>([
    ['no ports', () => decide(given(undefined), assignment, given({})), '', 'ports: it is missing'],
    ['no pipeline', () => snapshots(ports, given({ subject: 's' })), '/pipeline', 'assignment/pipeline: it is missing'],
    ['no subject', () => apply(ports, given({ pipeline }), given({})), '/subject', 'assignment/subject: it is missing'],
    [
      'decide, no list',
      () => decide(ports, assignment, given({ ...by, gate: 'a', decision: 'skip' })),
      '/gates',
      'gates',
    ],
    [
      'decide, no reason',
      () => decide(ports, assignment, given({ actor: 'me', decision: 'skip', gates: [] })),
      '/reason',
      'is missing',
    ],
    [
      'decide, a word',
      () => decide(ports, assignment, given({ ...by, decision: 'aprove', gates: [] })),
      '/decision',
      'expected approve',
    ],
    [
      'decide, a time',
      () => decide(ports, assignment, given({ ...by, decision: 'skip', gates: ['a'], until: 'soon' })),
      '/until',
      'ISO 8601',
    ],
    [
      'adopt, no output',
      () => decide(ports, assignment, given({ ...by, decision: 'adopt', gates: ['a'] })),
      '/output',
      'adopt needs',
    ],
    [
      'decideRun',
      () => decideRun(ports, assignment, given({ ...by, decision: 'pause', runNumber: '1' })),
      '/runNumber',
      'expected a number',
    ],
    [
      'decide, no gates',
      () => decide(ports, assignment, { ...by, decision: 'skip', gates: [] }),
      '/gates',
      'at least one gate',
    ],
    [
      'decide, an empty reason',
      () => decide(ports, assignment, { actor: 'me', reason: ' ', decision: 'skip', gates: ['a'] }),
      '/reason',
      'a reason that is not empty',
    ],
    ['readRun, a path', () => readRun(ports, assignment, given('../x')), '', 'runNumber: expected a number'],
    ['readRun, a negative number', () => readRun(ports, assignment, -1), '', 'the number of a run, from 1'],
    ['readRun, no subject', () => readRun(ports, given({ pipeline })), '/subject', 'is missing'],
    ['plan, no metadata', () => planPipeline(ports, given({ pipeline, subject: 's' })), '/metadata', 'is missing'],
    [
      'plan, a number of a run',
      () => planPipeline(ports, assignment, given({ runNumber: 1 })),
      '',
      'no such key: runNumber',
    ],
    [
      'plan, a strategy',
      () => planPipeline(ports, assignment, { resume: given({ ...by, strategy: 'retry' }) }),
      '/resume/strategy',
      'expected retry-current',
    ],
    ['begin, no gate', () => beginGate(ports, assignment, given(undefined), silent.observe), '', 'gate: it is missing'],
    ['begin, no observer', () => beginGate(ports, assignment, 'a', given(undefined)), '', 'observe: it is missing'],
    [
      'begin, a place',
      () => beginGate(ports, assignment, 'a', silent.observe, given({ place: 'here' })),
      '/place',
      'expected in-place, tree',
    ],
    [
      'complete, no token',
      () => completeGate(ports, assignment, given({ exitCode: 0 }), silent.observe),
      '/token',
      'is missing',
    ],
    [
      'complete, an exit code',
      () => completeGate(ports, assignment, { token: 't', exitCode: 256 }, silent.observe),
      '/exitCode',
      '0 to 255',
    ],
    ['localPorts, no place', () => localPorts(given({ environment: {} })), '/place', 'is missing'],
    [
      'localPorts, a pipeline with a path for an id',
      () => localPorts({ place: { root: '/x', isDefault: false, pipeline: { id: '../y' } }, environment: {} }),
      '/place/pipeline/id',
      'the id of a pipeline',
    ],
    ['lockWorkspace', () => lockWorkspace('.'), '', 'root: expected an absolute path'],
    ['loadPipeline', () => loadPipeline(given(undefined)), '', 'folder: it is missing'],
    [
      'openFilesystemStore',
      () => openFilesystemStore({ root: '.state', workspace: '/x' }),
      '/root',
      'an absolute path',
    ],
    ['openWorkspace', () => openWorkspace('/x', given({ environment: {} })), '/store', 'is missing'],
    ['rollback', () => rollback(ports, assignment, given(by)), '/saved', 'is missing'],
    [
      'rollback, a path',
      () => rollback(ports, assignment, given({ ...by, saved: 'saved' })),
      '/saved',
      'absolute path',
    ],
    [
      'rollback, a key',
      () => rollback(ports, assignment, given({ ...by, saved: '/saved', dry: true })),
      '',
      'no such key: dry',
    ],
    ['apply', () => apply(ports, assignment, given(undefined)), '', 'options: it is missing'],
    ['snapshots', () => snapshots(ports, assignment, given('1')), '', 'runNumber: expected a number'],
    [
      'fork',
      () => fork(ports, assignment, given({ ...by, run: 1, subject: 's' }), silent),
      '/runNumber',
      'no such key: run',
    ],
    ['run, no options', () => runPipeline(ports, assignment, given(undefined)), '', 'options: it is missing'],
    ['run, no signal', () => runPipeline(ports, assignment, given({ observe: () => 0 })), '/signal', 'is missing'],
    [
      'run, no observer',
      () => runPipeline(ports, assignment, given({ signal: silent.signal })),
      '/observe',
      'is missing',
    ],
    ['run, no assignment', () => runPipeline(ports, given(undefined), silent), '', 'assignment: it is missing'],
    [
      'run, no metadata',
      () => runPipeline(ports, given({ pipeline, subject: 's', input: null }), silent),
      '/metadata',
      'is missing',
    ],
    [
      'run, no input',
      () => runPipeline(ports, given({ pipeline, subject: 's', metadata: {} }), silent),
      '/input',
      'is missing',
    ],
    [
      'run, no actor',
      () => runPipeline(ports, assignment, { ...silent, resume: given({ reason: 'x', fresh: true }) }),
      '/resume/actor',
      'is missing',
    ],
    [
      'run, no gate',
      () => runPipeline(ports, assignment, { ...silent, resume: { ...by, strategy: 'from-checkpoint' } }),
      '/resume/from',
      'needs the gates',
    ],
    ['resume, no reason', () => resume(ports, assignment, given({ actor: 'me' }), silent), '/reason', 'is missing'],
    [
      'resume, no gate',
      () => resume(ports, assignment, { ...by, strategy: 'from-checkpoint' }, silent),
      '/from',
      'needs the gates',
    ],
    ['set, no pipeline', () => runSet(ports, given({ subjects: new Map() }), silent), '/pipeline', 'is missing'],
    [
      'set, a list',
      () => runSet(ports, given({ pipeline: assignment.pipeline, subjects: [] }), silent),
      '/subjects',
      'loadSet',
    ],
    ['tasks, no subjects', () => setTasks(ports, given({ pipeline: assignment.pipeline })), '/subjects', 'is missing'],
    ['documents, a relative path', () => memoryDocuments('here'), '', 'absolute path'],
    ['learnings, another folder', () => addLearnings('/x', '../x', []), '', 'learned-patterns'],
    ['learnings, no text', () => addLearnings('/x', 'a', [given({ category: 'x' })]), '/0/text', 'is missing'],
    ['import, no system', () => importFiles(ports, assignment, given('jira'), [], by), '', 'state-guide'],
    ['import, no files', () => importFiles(ports, assignment, 'nexus', [], by), '', 'at least one file'],
    [
      'import, a text',
      () => importFiles(ports, assignment, 'nexus', given([{ path: 'a', bytes: 'x', modified: 0 }]), by),
      '/0/bytes',
      'Uint8Array',
    ],
    ['export, no run', () => exportFiles(ports, assignment, 'nexus', 0), '', 'the number of a run'],
    ['resume, no options', () => resume(ports, assignment, by, given(undefined)), '', 'options: it is missing'],
    ['resume, no signal', () => resume(ports, assignment, by, given({ observe: () => 0 })), '/signal', 'is missing'],
  ])('is refused with its place and what to do: %s', async (_, call, pointer, message) => {
    const error: unknown = await call().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'LIBRARY_ARGUMENT_REFUSED', fault: 'user', place: { pointer } });
    expect((error as Error).message).toContain(message);
    expect(error).toMatchObject({ hint: expect.stringContaining('docs/reference/library.md') });
  });
});

describe('the history of a workspace', () => {
  it('is queried, counted and made again', async () => {
    await using workspace = await ScratchWorkspace.create({ 'README.md': 'x' });
    const definition = { pipeline: 'p', gates: { a: { run: WRITES({ x: 1 }), inputs: [] } } };
    const { assignment, ports } = setting(workspace.root, definition);
    for (let run = 1; run <= 2; run += 1) await runPipeline(await ports(), assignment, silent);
    const history = openHistory(workspace.root);
    const { entries, unreadable } = queryRuns(history, { status: ['completed'] });
    expect([entries.map(({ run, reused }) => [run, reused]), unreadable]).toEqual([
      [
        [2, 1],
        [1, 0],
      ],
      0,
    ]);
    expect(queryGates(history, 'a', {}, 1).entries).toMatchObject([{ run: 2, reused: true }]);
    expect(runStatistics(runsOf(history))).toMatchObject({ runs: 2, successRate: 1 });
    expect(gateStatistics(gatesOf(history)).gates).toMatchObject([{ key: 'a', ran: 1, reused: 1 }]);
    const day = dailySummary(runsOf(history), entries[0]!.started.slice(0, 10));
    expect(day).toMatchObject({ completedWorkflows: day.totalWorkflows, mostUsedWorkflow: 'p' });
    const compared = await compareRuns(await ports(), assignment, { runNumber: 1 }, { runNumber: 2 });
    expect(compared.gates).toMatchObject([{ key: 'a', sameRequest: true, output: [] }]);
    expect(await rebuildHistory(await ports(), assignment)).toEqual({ recomputed: 2, kept: 0 });
    expect(queryRuns(history).entries).toEqual(entries);
    const wrong = compareRuns(await ports(), assignment, { runNumber: 0 }, { runNumber: 1 });
    await expect(wrong).rejects.toMatchObject({ code: 'LIBRARY_ARGUMENT_REFUSED' });
  });
});

it('the tasks of a set follow from their runs', async () => {
  await using workspace = await ScratchWorkspace.create({ 'README.md': 'x' });
  const run = `${WRITES({ x: 1 })}; ! grep -q '"subject":"b"' "$GATELINE_REQUEST"`;
  const { ports, assignment } = setting(workspace.root, {
    pipeline: 'p',
    gates: { a: { run, inputs: [], shell: 'sh' } },
  });
  const subjects = new Map(['a', 'b', 'c'].map((id) => [id, { id, needs: [], metadata: {} }]));
  const order = { pipeline: assignment.pipeline, subjects };
  const statuses = async (): Promise<string[]> =>
    (await setTasks(await ports(), order)).map(({ id, status, failures }) => `${id} ${status} ${failures}`);
  expect(await statuses()).toEqual(['a pending 0', 'b pending 0', 'c pending 0']);
  await runSet(await ports(), { ...order, only: new Set(['a', 'b']) }, silent);
  expect(await statuses()).toEqual(['a done 0', 'b pending 1', 'c pending 0']);
});

describe('a Standard Schema', () => {
  const schema = (least: number, version: string): VersionedSchema => ({
    schema: z.object({ x: z.number().min(least) }),
    version,
  });
  const definition = { pipeline: 'p', gates: { a: { run: WRITES({ x: 1 }), inputs: [] } } };

  it('judges, and with another version judges a stored output again, without running the agent', async () => {
    await using workspace = await ScratchWorkspace.create({ 'README.md': 'x' });
    const { assignment, ports } = setting(workspace.root, definition, createMemoryStore());
    const run = async (given: VersionedSchema) => {
      const result = await runPipeline(await ports(), { ...assignment, standardSchemas: { a: given } }, silent);
      return { choice: result.planned[0]!.choice, verdict: result.state.units.get('a')!.ended!.verdict.kind };
    };
    expect(await run(schema(0, '1'))).toEqual({ choice: 'run', verdict: 'passed' });
    expect(await run(schema(0, '1'))).toEqual({ choice: 'reuse', verdict: 'passed' });
    expect(await run(schema(1, '2'))).toEqual({ choice: 'reuse', verdict: 'passed' });
    expect(await run(schema(2, '3'))).toEqual({ choice: 'run', verdict: 'schema' });
  });

  it('that a gate was begun with must complete it', async () => {
    await using workspace = await ScratchWorkspace.create({ 'README.md': 'x' });
    const own = { pipeline: 'p', gates: { a: { inputs: [] } } };
    const { assignment, ports } = setting(workspace.root, own, createMemoryStore());
    const given = { ...assignment, standardSchemas: { a: schema(5, '1') } };
    const begun = await beginGate(await ports(), given, 'a', () => undefined);
    if (begun.choice !== 'run') throw new Error('it had nothing to do');
    await writeFile(begun.variables['GATELINE_OUTPUT']!, '{"x": 1}');
    const complete = async (by: Assignment) => completeGate(await ports(), by, { token: begun.token }, () => undefined);
    await expect(complete(assignment)).rejects.toMatchObject({ code: 'CONTRACT_STANDARD_OTHER', fault: 'user' });
    const other = { ...assignment, standardSchemas: { a: schema(0, '2') } };
    await expect(complete(other)).rejects.toMatchObject({ code: 'CONTRACT_STANDARD_OTHER' });
    expect((await complete(given)).verdict).toMatchObject({ status: 'failed', kind: 'schema' });
  });
});
