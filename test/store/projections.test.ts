import { mkdir, readdir, readFile, stat, symlink, truncate, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gateOutputFileName } from '../../src/formats/state-guide/file-names.ts';
import { readGateState } from '../../src/formats/state-guide/gate-state.ts';
import { pipelineStateSchema } from '../../src/formats/state-guide/pipeline-state.ts';
import { stateDocuments } from '../../src/formats/state-guide/state-documents.ts';
import { checkpointMarkdown } from '../../src/report/markdown/checkpoint.ts';
import type { EndedRecord, GatelineRecord } from '../../src/run/records/record.ts';
import type { RunState } from '../../src/run/state/run-state.ts';
import { openFilesystemStore } from '../../src/store/filesystem/filesystem-store.ts';
import { createProjections } from '../../src/store/filesystem/projections/projections.ts';
import { type ProjectionDocuments } from '../../src/store/filesystem/projections/projections.ts';
import type { Pipeline } from '../../src/pipeline/pipeline.ts';
import { unitsOf } from '../../src/run/records/unit.ts';
import { decided, ended, gate, pipelineOf, ran, reviewed, started, stateOf, webTests } from '../report/fixtures.ts';
import { HOSTILE } from '../report/hostile.ts';
import { GUIDE_EXAMPLES } from '../formats/state-guide/guide.ts';
import { makeWorkspace } from './filesystem/workspace.ts';

const STEM = 'demoqa_com-student_registration';
const DATA = `${STEM}-gate0-output.json`;
const DATA_CHECKPOINT = `${STEM}-gate0-checkpoint.md`;
const PIPELINE = `${STEM}-pipeline.json`;

function documentsOf(pipeline: Pipeline, redact?: (text: string) => string): ProjectionDocuments {
  const graph = unitsOf(pipeline);
  return stateDocuments({
    graph,
    groups: pipeline.groups,
    metadata: pipeline.metadata,
    checkpoint: (state, unit) => checkpointMarkdown({ state, unit, graph }),
    ...(redact && { redact }),
  });
}

async function setUp({
  pipeline = webTests,
  documents = documentsOf(pipeline),
}: { pipeline?: Pipeline; documents?: ProjectionDocuments } = {}) {
  const place = await makeWorkspace();
  const durable: string[] = [];
  const folder = { root: place.root, workspace: place.workspace };
  const store = await openFilesystemStore(folder);
  const projections = await createProjections({
    ...folder,
    documents,
    readContent: (digest) => store.get(digest),
    maxInlineOutput: 1_000,
    onDurable: (what) => durable.push(what),
  });
  durable.length = 0;
  const at = (name: string): string => join(place.root, name);
  return {
    place,
    store,
    durable,
    at,
    update: (state: RunState, ...changed: string[]) => projections.update(state, changed),
    json: async (name: string) => JSON.parse(await readFile(at(name), 'utf8')) as unknown,
    /** Names directly in the folder that are no folders. */
    files: async () =>
      (await readdir(place.root, { withFileTypes: true }))
        .filter((entry) => !entry.isDirectory())
        .map(({ name }) => name)
        .sort(),
    quarantine: async () => {
      const names = await readdir(at('quarantine')).catch(() => []);
      return Promise.all(
        names
          .filter((name) => !name.endsWith('.why.json'))
          .map(async (name) => [name, await readFile(at(`quarantine/${name}`), 'utf8')] as const),
      );
    },
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  };
}

async function dataEnded(
  store: { put(text: string): Promise<{ digest: `sha256:${string}`; bytes: number }> },
  text = '{"seed":12345}',
  over: Partial<EndedRecord> = {},
): Promise<GatelineRecord[]> {
  return ran('data', {}, { value: await store.put(text), ...over });
}

describe('the projections of a run', () => {
  it('are the three files of the guide, under its names, with the output in them', async () => {
    await using t = await setUp();
    const { state } = stateOf(await dataEnded(t.store));
    expect(await t.update(state, 'data')).toEqual([]);
    expect(await t.files()).toEqual(['.gitignore', DATA_CHECKPOINT, DATA, PIPELINE].sort());
    expect(readGateState(await t.json(DATA))).toMatchObject({
      gate: 0,
      status: 'SUCCESS',
      output: { seed: 12345 },
      gateline: { run: 1 },
    });
    expect(pipelineStateSchema.parse(await t.json(PIPELINE))).toMatchObject({
      status: 'IN_PROGRESS',
      currentGate: 1,
      completedGates: [0],
    });
    expect(await readFile(t.at(DATA_CHECKPOINT), 'utf8')).toMatch(/^# Checkpoint: gate 0, `data`\n/);
  });

  it('write the pipeline last, so that it never names a gate as completed whose file is missing', async () => {
    await using t = await setUp();
    await t.update(stateOf(await dataEnded(t.store)).state, 'data');
    expect(t.durable.map((what) => what.replace(`file ${t.place.root}/`, ''))).toEqual([
      DATA,
      DATA_CHECKPOINT,
      PIPELINE,
    ]);
  });

  it('are not written again when they show the state already', async () => {
    await using t = await setUp();
    const { state } = stateOf(await dataEnded(t.store));
    await t.update(state, 'data');
    const before = (await stat(t.at(DATA), { bigint: true })).ino;
    t.durable.length = 0;
    expect(await t.update(state, 'data')).toEqual([]);
    expect(t.durable).toEqual([]);
    expect((await stat(t.at(DATA), { bigint: true })).ino).toBe(before);
  });

  it('follow the state: a newer output replaces ours without a word, and a gate without a result has no file', async () => {
    await using t = await setUp();
    const first = await dataEnded(t.store);
    await t.update(stateOf(first).state, 'data');
    const second = [...first, ...ran('data', { n: 2 }, { value: await t.store.put('{"seed":2}') })];
    expect(await t.update(stateOf(second).state, 'data')).toEqual([]);
    expect(await t.json(DATA)).toMatchObject({ output: { seed: 2 }, gateline: { attempt: 2 } });
    const forced = stateOf([...second, decided('data', { n: 9 }, { decision: 'force' })]).state;
    expect(await t.update(forced, 'data')).toEqual([]);
    expect(await t.files()).toEqual(['.gitignore', PIPELINE]);
    expect(await t.quarantine()).toEqual([]);
  });

  it('are there for a gate that failed, that was lost or skipped', async () => {
    await using t = await setUp();
    const verdict: EndedRecord['verdict'] = { status: 'failed', kind: 'timeout', score: 0, issues: [], advice: 'x' };
    const { value: _none, ...failed } = ended('data', {}, { verdict });
    for (const [records, status] of [
      [[started('data'), failed], 'FAILED'],
      [[started('data')], 'FAILED'],
      [[decided('data', {}, { exports: await t.store.put('{"a":1}') })], 'PARTIAL'],
    ] as const) {
      await t.update(stateOf(records, { deadWriters: new Set(['host|boot|7|1']) }).state, 'data');
      expect(readGateState(await t.json(DATA)).status).toBe(status);
    }
    expect(await t.json(DATA)).toMatchObject({ output: { a: 1 } });
  });

  it('name a large output instead of holding it, at the place where the store keeps it', async () => {
    await using t = await setUp();
    const text = JSON.stringify('x'.repeat(2_000));
    await t.update(stateOf(await dataEnded(t.store, text)).state, 'data');
    const file = readGateState(await t.json(DATA));
    expect(file.output).toBeNull();
    expect(await readFile(t.at(file.gateline!.outputFile!), 'utf8')).toBe(text);
  });

  it('say in the file when the output is gone or was altered, and fail nobody', async () => {
    await using t = await setUp();
    const gone = stateOf(ran('data'));
    expect(await t.update(gone.state, 'data')).toEqual([]);
    expect(readGateState(await t.json(DATA)).validation.issues[0]).toBe('the output is missing from the store');
    const records = await dataEnded(t.store, '{"seed":7}');
    const { digest } = (records[1] as EndedRecord).value!;
    await truncate(join(t.place.root, 'content/sha256', digest.slice(7, 9), digest.slice(9)), 3);
    await t.update(stateOf(records).state, 'data');
    expect(readGateState(await t.json(DATA)).validation.issues[0]).toMatch(/^the output could not be read: /);
  });

  it('have one file for each leg of a matrix gate', async () => {
    await using t = await setUp({ pipeline: reviewed });
    const where = { pipeline: reviewed };
    const { state } = stateOf(
      [
        ...ran('build', where),
        ...ran('e2e', { ...where, leg: 'chrome-linux' }),
        ...ran('e2e', { ...where, leg: 'firefox-linux' }),
      ],
      where,
    );
    await t.update(state, 'build', 'e2e/chrome-linux', 'e2e/firefox-linux', 'no such unit');
    const names = await t.files();
    for (const leg of ['chrome-linux', 'firefox-linux'])
      expect(names).toContain(gateOutputFileName(state.subject, 1, leg));
  });

  it('of calls that overlap come one after the other: the last one stays', async () => {
    await using t = await setUp();
    const states = await Promise.all(
      Array.from(
        { length: 8 },
        async (_, at) => stateOf(ran('data', { n: at + 1 }, { value: await t.store.put(`{"seed":${at}}`) })).state,
      ),
    );
    await Promise.all(states.map((state) => t.update(state, 'data')));
    expect(await t.json(DATA)).toMatchObject({ output: { seed: 7 }, gateline: { attempt: 8 } });
    expect(await t.quarantine()).toEqual([]);
  });

  it('hold no secret that is in the metadata', async () => {
    const pipeline = {
      ...webTests,
      metadata: { ...webTests.metadata, userStory: 'log in with hunter2', acceptanceCriteria: ['hunter2 works'] },
    };
    await using t = await setUp({
      pipeline,
      documents: documentsOf(pipeline, (text) => text.replaceAll('hunter2', '***')),
    });
    await t.update(stateOf(await dataEnded(t.store)).state, 'data');
    const text = await readFile(t.at(PIPELINE), 'utf8');
    expect(text).toContain('log in with ***');
    expect(text).not.toContain('hunter2');
  });
});

describe('what stands in the place of a projection', () => {
  const FOREIGN: ReadonlyArray<readonly [string, string, RegExp]> = [
    ['a file of another tool', JSON.stringify(GUIDE_EXAMPLES[0], null, 2), /Gateline did not write it/],
    ['a file that ends early', '{"gate": 0, "agent"', /it is damaged: ends before its JSON does/],
    ['something that is not JSON', 'hello', /it is damaged/],
    ['an empty file', '', /it is damaged/],
  ];

  it.each(FOREIGN)('is kept in quarantine when it is %s, and told of', async (_what, text, why) => {
    await using t = await setUp();
    await writeFile(t.at(DATA), text);
    const notices = await t.update(stateOf(await dataEnded(t.store)).state, 'data');
    expect(notices).toEqual([
      { code: 'PROJECTION_KEPT_ASIDE', file: `.state/${DATA}`, message: expect.stringMatching(why) },
    ]);
    expect(await t.quarantine()).toEqual([[expect.stringMatching(new RegExp(`^${DATA}\\.`)), text]]);
    expect(readGateState(await t.json(DATA)).gateline?.run).toBe(1);
  });

  it('is kept when somebody edited a file of ours, JSON or Markdown', async () => {
    await using t = await setUp();
    const { state } = stateOf(await dataEnded(t.store));
    await t.update(state, 'data');
    const edited = (await readFile(t.at(DATA), 'utf8')).replace('12345', '54321');
    await writeFile(t.at(DATA), edited);
    const notes = `my own notes\n${await readFile(t.at(DATA_CHECKPOINT), 'utf8')}`;
    await writeFile(t.at(DATA_CHECKPOINT), notes);
    const notices = await t.update(state, 'data');
    expect(notices.map(({ file }) => file)).toEqual([`.state/${DATA}`, `.state/${DATA_CHECKPOINT}`]);
    expect(notices[0]?.message).toContain('somebody edited it');
    expect((await t.quarantine()).map(([, text]) => text).sort()).toEqual([notes, edited].sort());
    expect(await t.json(DATA)).toMatchObject({ output: { seed: 12345 } });
  });

  it('is kept when it is ours but of a later run, another subject or another pipeline', async () => {
    await using t = await setUp();
    const { state } = stateOf(await dataEnded(t.store));
    for (const [other, why] of [
      [{ ...state, runNumber: 9 }, 'it belongs to a later run, 9'],
      [{ ...state, pipeline: 'other' }, 'it belongs to the pipeline other'],
    ] as const) {
      await t.update(other, 'data');
      const notices = await t.update(state, 'data');
      expect(notices.map(({ message }) => message)).toEqual([
        expect.stringContaining(why),
        expect.stringContaining(why),
        expect.stringContaining(why),
      ]);
      for (const name of [DATA, DATA_CHECKPOINT, PIPELINE]) await unlink(t.at(name));
    }
  });

  it('is replaced without a word when it is ours and of an earlier run', async () => {
    await using t = await setUp();
    await t.update(stateOf(await dataEnded(t.store)).state, 'data');
    const next = stateOf(ran('data', { run: 2 }, { value: await t.store.put('2') })).state;
    expect(await t.update(next, 'data')).toEqual([]);
    expect(await t.quarantine()).toEqual([]);
  });

  it('stays where it is when its gate has no result and it is not ours: it may be the input that somebody gave', async () => {
    await using t = await setUp();
    const text = JSON.stringify(GUIDE_EXAMPLES[0]);
    await writeFile(t.at(DATA), text);
    expect(await t.update(stateOf([started('data')]).state, 'data')).toEqual([]);
    expect(await readFile(t.at(DATA), 'utf8')).toBe(text);
  });

  it('is never followed when it is a link', async () => {
    await using t = await setUp();
    const outside = join(dirname(t.place.root), 'outside.json');
    await writeFile(outside, 'mine');
    await symlink(outside, t.at(DATA));
    const [notice] = await t.update(stateOf(await dataEnded(t.store)).state, 'data');
    expect(notice).toMatchObject({ code: 'PROJECTION_KEPT_ASIDE', message: expect.stringContaining('symbolic link') });
    expect(await readFile(outside, 'utf8')).toBe('mine');
    expect((await stat(t.at(DATA))).isFile()).toBe(true);
  });

  it('fails nobody when it cannot be replaced: the notice says so, and the other files are written', async () => {
    await using t = await setUp();
    await mkdir(t.at(DATA));
    const notices = await t.update(stateOf(await dataEnded(t.store)).state, 'data');
    expect(notices).toEqual([
      { code: 'PROJECTION_FAILED', file: DATA, message: expect.stringContaining('The file is not up to date: ') },
    ]);
    expect(await t.files()).toEqual(['.gitignore', DATA_CHECKPOINT, PIPELINE].sort());
  });

  it('fails nobody when making a document throws: the notice holds the message', async () => {
    const documents = documentsOf(webTests);
    const broken: ProjectionDocuments = {
      ...documents,
      gate: () => {
        throw new Error('cannot draw this');
      },
    };
    await using t = await setUp({ documents: broken });
    const notices = await t.update(stateOf(await dataEnded(t.store)).state, 'data');
    expect(notices).toEqual([
      { code: 'PROJECTION_FAILED', file: 'data', message: 'The file is not up to date: cannot draw this' },
    ]);
    expect(await t.files()).toEqual(['.gitignore', PIPELINE]);
  });

  it.each(HOSTILE)('is known as ours for the subject %j, whatever is in it', async (text) => {
    await using t = await setUp();
    const { state } = stateOf(
      ran('data', { subject: text }, { value: await t.store.put(JSON.stringify(text.toWellFormed())) }),
      { subject: text },
    );
    const later = { ...state, runNumber: 2 };
    expect(await t.update(state, 'data')).toEqual([]);
    expect(await t.update(later, 'data')).toEqual([]);
    expect(await t.files()).toHaveLength(4);
  });

  it('keep the bounds of the guide: its pipeline file has fewer lines than it reads, a longer gate file is named', async () => {
    const many = pipelineOf(Array.from({ length: 400 }, (_, number) => gate(`g${number}`, number)));
    await using t = await setUp({ pipeline: many });
    const where = { pipeline: many };
    expect(await t.update(stateOf(ran('g1', where), where).state)).toEqual([]);
    const name = (await t.files()).find((file) => file.endsWith('-pipeline.json'))!;
    const shown = await readFile(t.at(name), 'utf8');
    expect(shown.split('\n').length).toBeLessThan(1_000);
    expect(shown).toContain('\n  "completedGates": [1],\n');

    const rows = Array.from({ length: 3_000 }, (_, row) => ({ row }));
    const long: ProjectionDocuments = {
      ...documentsOf(webTests),
      gate: (run, key, output) => {
        const documents = documentsOf(webTests).gate(run, key, output)!;
        const { name, value } = documents.output;
        return { ...documents, output: { name, value: value && { ...value, output: { rows } } } };
      },
    };
    const { state } = stateOf(ran('data'));
    await using short = await setUp({ documents: long });
    expect(await short.update(state, 'data')).toEqual([]);
    rows.push(...rows);
    await using longer = await setUp({ documents: long });
    expect(await longer.update(state, 'data')).toMatchObject([{ code: 'PROJECTION_TOO_LONG' }]);
  });
});
