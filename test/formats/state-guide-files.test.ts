import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GatelineError } from '../../src/errors.ts';
import type { ImportedRun, SourceFile } from '../../src/formats/format.ts';
import { readEnvelope, standInFrom } from '../../src/formats/state-guide/envelope.ts';
import { stateGuide } from '../../src/formats/state-guide/state-guide.ts';
import type { JsonValue } from '../../src/json/json.ts';
import { METADATA, EXAMPLE_FILES, STEM, STORY } from './state-guide-example.ts';

const [, design, mapping] = EXAMPLE_FILES as unknown as [object, (typeof EXAMPLE_FILES)[1], (typeof EXAMPLE_FILES)[2]];
const bytesOf = (value: unknown): Uint8Array => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
const pipeline = { status: 'IN_PROGRESS', currentGate: 2, completedGates: [1], metadata: { ...METADATA, ...STORY } };
const GATE_1 = `${STEM}-gate1-output.json`;
const GATE_2 = `${STEM}-gate2-output.json`;
const PIPELINE = `${STEM}-pipeline.json`;

const read = (files: Record<string, unknown>, subject?: string): ImportedRun =>
  stateGuide.read(
    Object.entries(files).map(([path, value]): SourceFile => ({ path, bytes: bytesOf(value) })),
    subject,
  );

const designWith = (changes: object): Record<string, unknown> => ({ [GATE_1]: { ...design, ...changes } });
const scoreOf = (score: unknown): object => ({ validation: { score, issues: [], passed: true } });

function refusal(files: Record<string, unknown>, subject?: string): GatelineError {
  try {
    read(files, subject);
  } catch (error) {
    if (error instanceof GatelineError) return error;
    throw error;
  }
  throw new Error('it was imported');
}

describe('importing state files', () => {
  it('imports gates that the pipeline lists as completed, with issues and times, and lets the rest run', () => {
    const files = [
      { path: GATE_2, bytes: bytesOf({ ...mapping, status: 'PARTIAL' }), modified: Date.UTC(2026, 0, 2) },
      { path: GATE_1, bytes: bytesOf(design) },
      { path: PIPELINE, bytes: bytesOf({ ...pipeline, completedGates: [2, 5, 2] }) },
    ];
    const run = stateGuide.read(files);
    expect(run).toMatchObject({ pipeline: 'state-guide', subject: undefined, metadata: pipeline.metadata });
    const time = '2026-01-02T00:00:00.000Z';
    const [first, second] = run.gates;
    expect(first).toMatchObject({ gate: 1, agent: 'TestCaseDesigner', needs: [], output: undefined });
    const { output, validation } = mapping;
    expect(second).toMatchObject({ gate: 2, needs: [1], output, validation, issues: validation.issues, time });
    expect(run.notes).toHaveLength(3);
    const notes = ['gate 5 is completed, but has no file', 'it runs', 'PARTIAL with a score of 87'];
    for (const [index, note] of notes.entries()) expect(run.notes[index]).toContain(note);
  });

  it('imports gates that say SUCCESS if the pipeline has no file, and never one without an output', () => {
    const partial = { ...mapping, gate: 3, status: 'PARTIAL' };
    const run = read({ ...designWith({ output: null }), [GATE_2]: mapping, [`${STEM}-gate3-output.json`]: partial });
    expect(run.gates.flatMap(({ gate, output }) => (output === undefined ? [] : [gate]))).toEqual([2]);
  });

  it('chooses the files of a subject where a folder has those of several', () => {
    const login = { ...design, metadata: { ...METADATA, feature: 'login' } };
    const files = { [GATE_1]: design, [PIPELINE]: pipeline, 'demoqa_com-login-gate1-output.json': login };
    expect(refusal(files).message).toContain(`${STEM}, demoqa_com-login: \`--subject\` chooses one`);
    expect(read(files, 'demoqa_com-login').metadata).toEqual(login.metadata);
    expect(read(files, 'demoqa.com-Student Registration').metadata).toEqual(pipeline.metadata);
    expect(refusal(files, 'other').message).toContain('no state files of other');
    const [first, second] = ['pr-1-gate1-output.json', 'pr-2-gate1-output.json'] as const;
    const requests = { [first]: design, [second]: { ...design, output: 2 }, [PIPELINE]: pipeline };
    expect(refusal(requests).message).toContain('pr-1-gate1-output.json is of gate 1, too');
    const { metadata } = pipeline;
    expect(read(requests, 'pr-2')).toMatchObject({ subject: 'pr-2', gates: [{ output: 2 }], metadata });
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['no file', {}, 'the folder: there are no state files'],
    ['another name', { 'notes.json': 1 }, 'notes.json: expected the name'],
    ['another number', { [GATE_2]: design }, `${GATE_2}/gate: it is 1, and the name says 2`],
    [
      'a completed gate without a file',
      { [PIPELINE]: pipeline },
      '/completedGates/0: gate 1 is completed, and it has no',
    ],
    ['a completed gate that failed', { ...designWith({ status: 'FAILED' }), [PIPELINE]: pipeline }, 'says FAILED'],
    ['two pipelines', { [PIPELINE]: pipeline, 'x-pipeline.json': pipeline, [GATE_1]: design }, "is the pipeline's"],
    ['no JSON', { [GATE_1]: '{"gate": 1,' }, `${GATE_1}: `],
    ['nothing', { [GATE_1]: '' }, `${GATE_1}: the document is empty`],
    ['a list', { [GATE_1]: [] }, `${GATE_1}: `],
    ['a word that the guide has not', designWith({ status: 'DONE' }), `${GATE_1}/status: `],
    ['a score as a text', designWith(scoreOf('95')), `${GATE_1}/validation/score: `],
    ['a score over 100', designWith(scoreOf(101)), `${GATE_1}/validation/score: `],
    ['no output', designWith({ output: undefined }), `${GATE_1}/output: `],
    ['a deep value', { [GATE_1]: `{"output": ${'['.repeat(60)}${']'.repeat(60)}}` }, 'nested more than 50 deep'],
    ['a number that no computer holds', { [GATE_1]: '{"output": 1e999}' }, `${GATE_1}/output: `],
    ['more than 64 MiB', { [GATE_1]: ' '.repeat(65 * 1024 ** 2) }, '64 MiB'],
  ])('refuses %s', (_, files, message) => {
    const error = refusal(files);
    expect(error.message).toContain(message);
    expect(error).toMatchObject({ fault: 'usage', code: 'IMPORT_REFUSED', place: { file: expect.any(String) } });
  });

  it('names every problem of every file in one error, and quotes no value', () => {
    const secret = 'hunter2';
    const bad = { agent: [secret], metadata: secret, ...scoreOf(secret), status: secret, output: 1, gate: secret };
    const more = { [GATE_2]: { [secret]: secret }, [PIPELINE]: 'no JSON' };
    const { message } = refusal({ ...designWith(bad), ...more });
    expect(message.split('\n').length).toBeGreaterThan(10);
    expect(message).toContain(PIPELINE);
    expect(message).not.toContain(secret);
  });

  it('either imports or refuses whatever is in a file', () => {
    const mutated = fc
      .tuple(fc.constantFrom(...Object.keys(design)), fc.jsonValue())
      .map(([key, value]) => JSON.stringify({ ...design, [key]: value }));
    const content = fc.oneof(fc.uint8Array({ maxLength: 40 }), mutated.map(bytesOf), fc.json().map(bytesOf));
    fc.assert(
      fc.property(content, fc.constantFrom(GATE_1, PIPELINE, '__proto__-gate1-output.json'), (bytes, path) => {
        try {
          expect(stateGuide.read([{ path, bytes }]).gates.length).toBeLessThan(2);
        } catch (error) {
          expect(error).toMatchObject({ code: 'IMPORT_REFUSED' });
        }
      }),
    );
  });
});

const gate = { id: 'design', number: 1, metadata: METADATA };

describe('the state file that an agent wrote for its gate', () => {
  it('is its output, with status and score', () => {
    expect(readEnvelope(bytesOf({ ...design, status: 'FAILED', more: 1 }), gate)).toEqual({
      envelope: { ...design, status: 'FAILED' },
    });
    expect(readEnvelope(bytesOf({ ...design, metadata: { ...METADATA, domain: 'demoqa.com' } }), gate)).toHaveProperty(
      'envelope',
    );
    expect(readEnvelope(bytesOf(design), { ...gate, metadata: {} })).toHaveProperty('envelope');
  });

  it.each<[string, unknown, string[]]>([
    ['another gate', { ...design, gate: 2 }, ['/gate']],
    [
      'another page',
      { ...design, metadata: { domain: 'x', feature: 'y', url: '' } },
      ['/metadata/domain', '/metadata/feature'],
    ],
    ['missing keys', { gate: 1, status: 'SUCCESS', output: 1 }, ['/agent', '/metadata', '/validation']],
    ['no JSON', '{', ['']],
  ])('is refused with each place: %s', (_, content, pointers) => {
    const reading = readEnvelope(bytesOf(content), gate);
    expect('issues' in reading && reading.issues.map(({ pointer = '' }) => pointer)).toEqual(pointers);
  });
});

describe('step 0B: what replaces the output of a gate that is not done', () => {
  const order = { metadata: { domain: 'demoqa_com', feature: 'student_registration' }, ...STORY, url: METADATA.url };
  const none = 'and the caller gave no input for it';
  const used = "the caller's input is used";
  const login = { metadata: { ...METADATA, feature: 'login' } };
  it.each<[string, string | object | undefined, JsonValue, string, string]>([
    ['its file with SUCCESS', {}, null, 'file', 'the state file of gate 1 (design) says SUCCESS with a score of 95'],
    [
      'its file with PARTIAL, before the input',
      { status: 'PARTIAL' },
      order,
      'file',
      'says PARTIAL with a score of 95',
    ],
    ['never a file with FAILED', { status: 'FAILED' }, null, 'none', `says FAILED with a score of 95, ${none}`],
    ['the input after FAILED', { status: 'FAILED' }, order, 'input', `says FAILED with a score of 95: ${used}`],
    ['the input without a file', undefined, order, 'input', `gate 1 (design) has no state file: ${used}`],
    ['the input for this gate', undefined, { needs: { design: order } }, 'input', 'has no state file'],
    ['nothing for another gate', undefined, { needs: { map: order } }, 'none', none],
    ['the input after another gate', { gate: 2 }, order, 'input', 'not usable (/gate: expected 1 (design), found 2)'],
    ['the input after another feature', login, order, 'input', 'expected student_registration, found login'],
    ['the input after a broken file', '{"gate"', order, 'input', 'is not usable ('],
    ['nothing after a file without output', { output: null }, null, 'none', 'has no output'],
    ['nothing at all', undefined, null, 'none', `has no state file, ${none}`],
  ])('%s', (_, file, input, choice, reason) => {
    const bytes = file === undefined ? undefined : bytesOf(typeof file === 'string' ? file : { ...design, ...file });
    const standIn = standInFrom(bytes, input, gate);
    expect(standIn).toMatchObject({ choice, reason: expect.stringContaining(reason) });
    if (standIn.choice === 'file') expect(standIn.envelope).toMatchObject({ output: design.output });
    if (standIn.choice === 'input') expect(standIn.output).toEqual(order);
  });

  it('does not use inherited properties of objects as the input of a gate', () => {
    expect(standInFrom(undefined, { needs: {} }, { ...gate, id: 'constructor' }).choice).toBe('none');
  });
});
