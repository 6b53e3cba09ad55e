import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GatelineError } from '../../src/errors.ts';
import type { ImportedRun, SourceFile } from '../../src/formats/format.ts';
import { readEnvelope, standInFrom } from '../../src/formats/state-guide/envelope.ts';
import { stateGuide } from '../../src/formats/state-guide/state-guide.ts';
import type { JsonValue } from '../../src/json/json.ts';
import { METADATA, SEED_FILES, STEM, STORY } from './seed-000.ts';

const [, design, mapping] = SEED_FILES as unknown as [object, (typeof SEED_FILES)[1], (typeof SEED_FILES)[2]];
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
  it('takes what the pipeline lists as completed, with remarks and times, and lets the rest run', () => {
    const files = [
      { path: GATE_2, bytes: bytesOf({ ...mapping, status: 'PARTIAL' }), modified: Date.UTC(2026, 0, 2) },
      { path: GATE_1, bytes: bytesOf(design) },
      { path: PIPELINE, bytes: bytesOf({ ...pipeline, completedGates: [2, 5, 2] }) },
    ];
    const run = stateGuide.read(files);
    expect(run).toMatchObject({ pipeline: 'state-guide', subject: undefined, metadata: pipeline.metadata });
    expect(run.gates).toMatchObject([
      { gate: 1, agent: 'TestCaseDesigner', needs: [], output: undefined },
      {
        gate: 2,
        needs: [1],
        output: mapping.output,
        score: 87,
        issues: mapping.validation.issues,
        time: '2026-01-02T00:00:00.000Z',
      },
    ]);
    expect(run.notes.join('\n')).toMatch(
      /gate 5 is completed, but has no file.*\n.*gate 1 .* it runs\n.*gate 2 .* PARTIAL with a score of 87/,
    );
  });

  it('takes what says SUCCESS where there is no file of the pipeline, and never what has no output', () => {
    const run = read({
      [GATE_1]: { ...design, output: null },
      [GATE_2]: mapping,
      [`${STEM}-gate3-output.json`]: { ...mapping, gate: 3, status: 'PARTIAL' },
    });
    expect(run.gates.map(({ gate, output }) => [gate, output !== undefined])).toEqual([
      [1, false],
      [2, true],
      [3, false],
    ]);
  });

  it('chooses the files of a subject where a folder has those of several', () => {
    const login = { ...design, metadata: { ...METADATA, feature: 'login' } };
    const files = { [GATE_1]: design, [PIPELINE]: pipeline, 'demoqa_com-login-gate1-output.json': login };
    expect(refusal(files).message).toContain(
      'demoqa_com-student_registration, demoqa_com-login: `--subject` chooses one',
    );
    expect(read(files, 'demoqa_com-login').metadata).toEqual(login.metadata);
    expect(read(files, 'demoqa.com-Student Registration').metadata).toEqual(pipeline.metadata);
    expect(refusal(files, 'other').message).toContain('no state files of other');
    const requests = {
      'pr-1-gate1-output.json': design,
      'pr-2-gate1-output.json': { ...design, output: 2 },
      [PIPELINE]: pipeline,
    };
    expect(refusal(requests).message).toContain('pr-1-gate1-output.json is of gate 1, too');
    expect(read(requests, 'pr-2')).toMatchObject({
      subject: 'pr-2',
      gates: [{ output: 2 }],
      metadata: pipeline.metadata,
    });
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['no file', {}, 'the folder: there are no state files'],
    ['another name', { 'notes.json': 1 }, 'notes.json: expected the name'],
    ['another number', { [GATE_2]: design }, `${GATE_2}/gate: it is 1, and the name says 2`],
    [
      'a completed gate without a file',
      { [PIPELINE]: pipeline },
      `${PIPELINE}/completedGates/0: gate 1 is completed, and it has no file`,
    ],
    [
      'a completed gate that failed',
      { [PIPELINE]: pipeline, [GATE_1]: { ...design, status: 'FAILED' } },
      `${GATE_1} says FAILED`,
    ],
    [
      'two files of the pipeline',
      { [PIPELINE]: pipeline, 'x-pipeline.json': pipeline, [GATE_1]: design },
      `x-pipeline.json: ${PIPELINE} is the pipeline's`,
    ],
    ['no JSON', { [GATE_1]: '{"gate": 1,' }, `${GATE_1}: `],
    ['nothing', { [GATE_1]: '' }, `${GATE_1}: the document is empty`],
    ['a list', { [GATE_1]: [] }, `${GATE_1}: `],
    ['a word that the guide has not', { [GATE_1]: { ...design, status: 'DONE' } }, `${GATE_1}/status: `],
    [
      'a score as a text',
      { [GATE_1]: { ...design, validation: { score: '95', issues: [], passed: true } } },
      `${GATE_1}/validation/score: `,
    ],
    [
      'a score over 100',
      { [GATE_1]: { ...design, validation: { score: 101, issues: [], passed: true } } },
      `${GATE_1}/validation/score: `,
    ],
    ['no output', { [GATE_1]: { ...design, output: undefined } }, `${GATE_1}/output: `],
    ['a deep value', { [GATE_1]: `{"output": ${'['.repeat(60)}${']'.repeat(60)}}` }, 'nested more than 50 deep'],
    [
      'a number that no computer holds',
      { [GATE_1]: JSON.stringify({ ...design, output: 0 }).replace('"output":0', '"output":1e999') },
      `${GATE_1}/output: `,
    ],
    ['more than 64 MiB', { [GATE_1]: ' '.repeat(65 * 1024 ** 2) }, '64 MiB'],
  ])('refuses %s', (_, files, message) => {
    const error = refusal(files);
    expect(error.message).toContain(message);
    expect(error).toMatchObject({ fault: 'usage', code: 'IMPORT_REFUSED', place: { file: expect.any(String) } });
  });

  it('names every problem of every file in one error, and quotes no value', () => {
    const secret = 'hunter2';
    const bad = {
      ...design,
      agent: [secret],
      metadata: secret,
      validation: { score: secret, issues: secret, passed: secret },
    };
    const { message } = refusal({ [GATE_1]: bad, [GATE_2]: { [secret]: secret }, [PIPELINE]: 'no JSON' });
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
  it.each<[string, unknown, JsonValue, string, string]>([
    [
      'its file with SUCCESS',
      design,
      null,
      'file',
      'the state file of gate 1 (design) says SUCCESS with a score of 95',
    ],
    [
      'its file with PARTIAL, before the input',
      { ...design, status: 'PARTIAL' },
      order,
      'file',
      'says PARTIAL with a score of 95',
    ],
    [
      'never a file with FAILED',
      { ...design, status: 'FAILED' },
      null,
      'none',
      'says FAILED with a score of 95, and the caller gave no input for it',
    ],
    [
      'the input after FAILED',
      { ...design, status: 'FAILED' },
      order,
      'input',
      "says FAILED with a score of 95: the caller's input is used",
    ],
    [
      'the input without a file',
      undefined,
      order,
      'input',
      "gate 1 (design) has no state file: the caller's input is used",
    ],
    ['the input for this gate', undefined, { needs: { design: order } }, 'input', 'has no state file'],
    ['nothing for another gate', undefined, { needs: { map: order } }, 'none', 'the caller gave no input'],
    ['nothing for a name of every object', undefined, { needs: {} }, 'none', 'the caller gave no input'],
    [
      'the input after a file of another gate',
      { ...design, gate: 2 },
      order,
      'input',
      'is not usable (/gate: expected 1 (design), found 2)',
    ],
    [
      'the input after a file of another feature',
      { ...design, metadata: { ...METADATA, feature: 'login' } },
      order,
      'input',
      '(/metadata/feature: expected student_registration, found login)',
    ],
    ['the input after a broken file', '{"gate"', order, 'input', 'is not usable ('],
    ['nothing after a file without output', { ...design, output: null }, null, 'none', 'and has no output'],
    ['nothing at all', undefined, null, 'none', 'has no state file, and the caller gave no input for it'],
  ])('%s', (_, file, input, choice, reason) => {
    const standIn = standInFrom(file === undefined ? undefined : bytesOf(file), input, gate);
    expect(standIn).toMatchObject({ choice, reason: expect.stringContaining(reason) });
    if (standIn.choice === 'file')
      expect(standIn.envelope).toMatchObject({ output: design.output, agent: design.agent });
    if (standIn.choice === 'input') expect(standIn.output).toEqual(order);
  });

  it('does not take what every object has for the input of a gate', () => {
    expect(standInFrom(undefined, { needs: {} }, { ...gate, id: 'constructor' }).choice).toBe('none');
  });
});
