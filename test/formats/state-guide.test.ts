import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OutputValues } from '../../src/formats/format.ts';
import { stateGuide } from '../../src/formats/state-guide/state-guide.ts';
import { fileStems, sanitizeName } from '../../src/formats/state-guide/words.ts';
import type { JsonObject, JsonValue } from '../../src/json/json.ts';
import type { RunStatus, RunView, UnitStatus, UnitView } from '../../src/report/view.ts';
import { METADATA, EXAMPLE_FILES, STEM, STORY } from './state-guide-example.ts';
import { filesOf, unitOf, valueIn, viewOf } from './views.ts';

const writeGuide = (view: RunView, values: OutputValues) =>
  stateGuide.write({ view, values, history: [], documents: {} });

const metadata = { ...METADATA, ...STORY };

const unitWith = (status: UnitStatus, number: number): UnitView => unitOf(number, { status });
const exampleUnits = EXAMPLE_FILES.map(({ gate, agent, validation: { score, issues } }) =>
  unitOf(gate, { agent, status: 'passed', score, remarks: issues }),
);
const exampleValues = new Map(EXAMPLE_FILES.map(({ gate, output }) => [`gate_${gate}`, output]));

describe('files of the state guide', () => {
  it('are exactly those that the guide shows', () => {
    const written = writeGuide(
      viewOf('executing', [...exampleUnits, unitOf(5, { status: 'running' })], metadata, STEM),
      exampleValues,
    );
    for (const file of EXAMPLE_FILES) expect(valueIn(written, `${STEM}-gate${file.gate}-output.json`)).toEqual(file);
    const pipeline = { status: 'IN_PROGRESS', currentGate: 5, completedGates: [0, 1, 2, 3, 4], metadata };
    expect(valueIn(written, `${STEM}-pipeline.json`)).toEqual(pipeline);
    expect(Object.keys(written)).toHaveLength(7);
    expect(written[`${STEM}-gate5-output.json`]).toBeNull();
  });

  it.each<[string, RunStatus, UnitStatus[], string]>([
    ['a run that begins', 'initializing', ['pending', 'pending'], 'IN_PROGRESS 0 []'],
    ['a running gate', 'executing', ['passed', 'running'], 'IN_PROGRESS 1 [0]'],
    ['a gate that waits for a person', 'paused', ['passed', 'paused'], 'IN_PROGRESS 1 [0]'],
    ['a failed gate', 'error', ['failed', 'blocked'], 'FAILED 0 []'],
    ['a run that nobody continues', 'closed', ['passed', 'pending'], 'FAILED 1 [0]'],
    ['a rollback', 'rollback', ['passed', 'pending'], 'FAILED 1 [0]'],
    ['a completed run', 'completed', ['passed', 'not-applicable'], 'SUCCESS 1 [0,1]'],
    ['a skipped gate', 'completed', ['passed', 'skipped'], 'PARTIAL 1 [0,1]'],
  ])('say how the pipeline is: %s', (_, status, units, expected) => {
    const view = viewOf(status, units.map(unitWith), metadata, STEM);
    const { completedGates, ...file } = valueIn(writeGuide(view, new Map()), `${STEM}-pipeline.json`);
    expect(file['metadata']).toEqual(metadata);
    expect(`${file['status']} ${file['currentGate']} ${JSON.stringify(completedGates)}`).toBe(expected);
  });

  it('say PARTIAL for a completed run with a gate below its threshold that was approved, and count the learning gate as 5', () => {
    const approved = { ...unitOf(4, { status: 'partial', score: 70, done: true }), status: 'passed' as const };
    const units = [...exampleUnits.slice(0, 4), approved, unitOf(5, { status: 'passed' })];
    const written = writeGuide(viewOf('completed', units, metadata, STEM), exampleValues);
    const all = { status: 'PARTIAL', currentGate: 5, completedGates: [0, 1, 2, 3, 4, 5] };
    expect(valueIn(written, `${STEM}-pipeline.json`)).toMatchObject(all);
    const partial = { status: 'PARTIAL', validation: { score: 70, passed: false } };
    expect(valueIn(written, `${STEM}-gate4-output.json`)).toMatchObject(partial);
  });

  it.each<[UnitStatus, string]>([
    ['passed', 'SUCCESS 90 a, b (at /x) true'],
    ['paused', 'PARTIAL 90 a, b (at /x) false'],
    ['failed', 'FAILED 90 a, b (at /x) false'],
    ['lost', 'FAILED 0 lost: it is lost false'],
    ['skipped', 'PARTIAL 0 skipped: it is skipped false'],
    ['not-applicable', 'SUCCESS 90 a, b (at /x) true'],
  ])('are written for a gate that is %s', (status, expected) => {
    const unit = unitOf(1, { status, score: 90, remarks: ['a', 'b'] });
    const issues = unit.verdict?.issues.map((issue, index) => ({ ...issue, pointer: ['', '/x'][index] })) ?? [];
    const judged = { ...unit, verdict: unit.verdict && { ...unit.verdict, issues } };
    const written = writeGuide(viewOf('executing', [judged], metadata, STEM), new Map());
    const { validation, ...file } = valueIn(written, `${STEM}-gate1-output.json`);
    const { score, issues: lines, passed } = validation as { score: number; issues: string[]; passed: boolean };
    expect(`${file['status']} ${score} ${lines.join(', ')} ${passed}`).toBe(expected);
    expect(file).toMatchObject({ gate: 1, agent: 'gate_1', metadata: METADATA, output: null });
  });

  it('keep the output of a gate that failed, name why it failed, and say where an output is that is too large', () => {
    const output = { digest: `sha256:${'0'.repeat(64)}`, bytes: 99 } as const;
    const units = [unitOf(0, { status: 'failed', score: 0, output }), unitOf(1, { status: 'passed', output })];
    const written = writeGuide(viewOf('error', units, metadata, STEM), new Map([['gate_0', { wrong: true }]]));
    const [failed, large] = [0, 1].map((gate) => valueIn(written, `${STEM}-gate${gate}-output.json`));
    expect(failed).toMatchObject({ output: { wrong: true }, validation: { issues: ['schema: Repair it.'] } });
    expect(JSON.stringify(large)).toContain('gateline show gate_1 output');
  });

  it('are no longer than what the agents of the guide read', () => {
    const values = new Map<string, JsonValue>([['gate_0', Array.from({ length: 20_000 }, (_, index) => index)]]);
    const written = writeGuide(viewOf('completed', [unitOf(0, { status: 'passed' })], metadata, STEM), values);
    expect(written[`${STEM}-gate0-output.json`]!.split('\n').length).toBeLessThan(10_000);
    expect(written[`${STEM}-pipeline.json`]).toContain('\n  "status"');
  });
});

describe('names of the guide', () => {
  it.each<[string, string]>([
    ['demoqa_com', 'demoqa_com'],
    ['demoqa.com', 'demoqa_com'],
    ['Student Registration', 'student_registration'],
    ['studentRegistration', 'studentRegistration'],
    ['../../etc/passwd', 'etc_passwd'],
    ['登録 フォーム', '登録_フォーム'],
    ['a\ud800b', 'a_b'],
    ['../..', ''],
  ])('%j is %j', (text, name) => expect(sanitizeName(text)).toBe(name));

  it('are valid file names on every system, whatever the text, and long texts keep different names', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 90 }), (text) => {
        const name = sanitizeName(text);
        expect(name).toMatch(/^[\p{L}\p{M}\p{N}_-]*$/u);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(70);
        expect(sanitizeName(name)).toBe(name);
      }),
    );
    expect(sanitizeName(`${'x'.repeat(99)}1`)).not.toBe(sanitizeName(`${'x'.repeat(99)}2`));
  });

  it.each<[JsonObject, string, string[]]>([
    [METADATA, STEM, [STEM]],
    [METADATA, 'pr-42', [STEM, 'pr-42']],
    [{ url: METADATA.url }, STEM, [STEM]],
    [{}, 'feature/login', ['feature_login']],
    [{ domain: 'd.e' }, 'main', ['d_e-main', 'main']],
    [{}, '..', ['run']],
  ])('for metadata %j and subject %s are %j', (given, subject, stems) =>
    expect(fileStems(given, subject)).toEqual(stems),
  );

  it('are written under the subject too, if it is not domain and feature', () => {
    const view = viewOf('completed', [unitOf(0, { status: 'passed' })], metadata, 'pr-42');
    const names = [`${STEM}-pipeline.json`, `${STEM}-gate0-output.json`, 'pr-42-gate0-output.json'];
    expect(Object.keys(writeGuide(view, new Map()))).toEqual(names);
    expect(names.every(stateGuide.isStateFile)).toBe(true);
  });
});

describe('reading', () => {
  it('gives back what was written, as far as the guide can say it', () => {
    const texts = 'passed partial failed lost skipped not-applicable running pending paused'.split(' ');
    const unit = fc.record({
      status: fc.constantFrom(...(texts as UnitStatus[])),
      score: fc.integer({ min: 0, max: 100 }),
      agent: fc.string({ minLength: 1, maxLength: 20 }),
      remarks: fc.array(fc.string({ maxLength: 20 }), { maxLength: 2 }),
      legs: fc.uniqueArray(fc.constantFrom('a', 'linux-20', 'x.y'), { maxLength: 2 }),
      value: fc.jsonValue({ maxDepth: 3 }),
    });
    const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,20}$/);
    const names = fc.record({ domain: name, feature: name, request: fc.constantFrom(undefined, 'pr-7') });
    fc.assert(
      fc.property(fc.array(unit, { minLength: 1, maxLength: 6 }), names, (gates, { domain, feature, request }) => {
        const units = gates.flatMap(({ legs, value: _, ...sketch }, number) =>
          (legs.length === 0 ? [''] : legs).map((leg) => unitOf(number, { ...sketch, leg })),
        );
        const ended = units.filter(({ status }) => status !== 'running' && status !== 'pending');
        fc.pre(ended.length > 0);
        const values = new Map(ended.map(({ key, number }) => [key, gates[number]!.value as JsonValue]));
        const view = viewOf('executing', units, { ...metadata, domain, feature }, request ?? `${domain}-${feature}`);
        const run = stateGuide.read(filesOf(writeGuide(view, values)));
        expect(run).toMatchObject({ subject: request, metadata: view.metadata });
        const open = new Set(units.filter(({ done }) => !done).map(({ number }) => number));
        const expected = ended.map(({ key, number: gate, leg, agent, verdict, status, reason }) => {
          const lost = status === 'lost' || status === 'skipped' ? [`${status}: ${reason}`] : gates[gate]!.remarks;
          const issues = status === 'failed' && lost.length === 0 ? ['schema: Repair it.'] : lost;
          const output = open.has(gate) ? undefined : (values.get(key) ?? undefined);
          const passed = status !== 'failed' && ['passed', 'not-applicable'].includes(verdict?.status ?? '');
          return { gate, leg, agent, output, validation: { score: verdict?.score ?? 0, issues, passed }, issues };
        });
        const actual = run.gates.map(({ needs: _n, place: _p, time: _t, ...gate }) => gate);
        expect(actual).toEqual(JSON.parse(JSON.stringify(expected)));
      }),
    );
  });
});
