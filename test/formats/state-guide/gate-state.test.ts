import { describe, expect, it } from 'vitest';
import { GatelineError } from '../../../src/errors/gateline-error.ts';
import { callerInput, gateEnvelope, issueText, readGateState } from '../../../src/formats/state-guide/gate-state.ts';
import { stateMetadata } from '../../../src/formats/state-guide/state-metadata.ts';
import type { EndedRecord } from '../../../src/run/records/record.ts';
import type { JsonValue } from '../../../src/json/json.ts';
import { decided, ended, failedRun, fingerprintOf, ran, started, stateOf, webTests } from '../../report/fixtures.ts';
import { GUIDE_EXAMPLES } from './guide.ts';

type From = ReturnType<typeof stateOf>;

function envelope(
  key: string,
  { state, graph }: From,
  output?: JsonValue,
  more: { outputFile?: string; outputProblem?: string } = {},
) {
  const { pipeline, subject, runNumber } = state;
  const unit = state.units.get(key)!;
  return gateEnvelope({
    gate: graph.get(key)!.gate,
    unit,
    pipeline,
    subject,
    runNumber,
    metadata: webTests.metadata,
    output,
    ...more,
  });
}

function problemsOf(value: unknown, file?: string): string {
  try {
    readGateState(value, file === undefined ? {} : { file });
  } catch (error) {
    if (error instanceof GatelineError && error.code === 'STATE_FILE_INVALID') return error.message;
    throw error;
  }
  return '';
}

describe("a gate's state file", () => {
  it('is exactly the envelope of the guide, and ours under one key', () => {
    const file = envelope('dom', failedRun(), { elementMappings: [] })!;
    const { gateline, ...guide } = file;
    expect(guide).toEqual({
      gate: 2,
      agent: 'DOMAgent',
      status: 'SUCCESS',
      metadata: {
        domain: 'demoqa_com',
        feature: 'student_registration',
        url: 'https://demoqa.com/automation-practice-form',
      },
      output: { elementMappings: [] },
      validation: { score: 87, issues: ['2 elements have confidence < 80% (at /elementMappings)'], passed: true },
    });
    expect(gateline).toMatchObject({
      format: 'gateline-gate-state/1',
      pipeline: 'web_tests',
      subject: 'demoqa_com-student_registration',
      gate: 'dom',
      leg: '',
      status: 'passed',
      kind: 'passed',
      run: 3,
      call: 2,
      attempt: 1,
      fingerprint: fingerprintOf('dom'),
      how: 'ran',
      startedAt: '2026-01-02T03:02:00.000Z',
      endedAt: '2026-01-02T03:02:12.500Z',
      files: [],
    });
    expect(readGateState(JSON.parse(JSON.stringify(file)))).toEqual(file);
  });

  it('is written for a gate that failed, with what was wrong, also where there is no output', () => {
    const file = envelope('execute', failedRun());
    expect(file).toMatchObject({
      status: 'FAILED',
      output: null,
      validation: { score: 60, passed: false },
      gateline: { kind: 'check' },
    });
    expect(file?.validation.issues).toHaveLength(2);
    const verdict: EndedRecord['verdict'] = {
      status: 'failed',
      kind: 'timeout',
      score: 0,
      issues: [],
      advice: 'Raise timeout-minutes.',
    };
    expect(envelope('data', stateOf(ran('data', {}, { verdict })))?.validation.issues).toEqual([
      'timeout: Raise timeout-minutes.',
    ]);
  });

  it('names the files that are handed on, deleted ones too, and the attempt that a reused output is from', () => {
    expect(envelope('pom', failedRun())?.gateline?.files).toEqual([
      { path: 'tests/pages/registration.ts', mode: '100644', digest: expect.stringMatching(/^sha256:/) },
      { path: 'tests/old.ts', mode: null, digest: null },
    ]);
    expect(envelope('data', failedRun())?.gateline).toMatchObject({
      how: 'reused',
      source: { run: 2, call: 1, attempt: 1 },
    });
  });

  it('is not there for a gate that has come to nothing yet', () => {
    const from = stateOf([...ran('data'), started('design')]);
    for (const key of ['design', 'dom']) expect(envelope(key, from)).toBeUndefined();
    expect(envelope('learn', failedRun())).toBeUndefined();
  });

  it('of a lost attempt is FAILED and holds nothing of the attempt before it', () => {
    const by = { host: 'host', boot: 'boot', pid: 8, pidStart: '2' };
    const from = stateOf(
      [
        ended('data', {}, { verdict: { status: 'failed', kind: 'schema', score: 33, issues: [], advice: 'x' } }),
        started('data', { n: 2 }, { by }),
      ],
      {
        deadWriters: new Set(['host|boot|8|2']),
      },
    );
    const file = envelope('data', from);
    expect(file).toMatchObject({
      status: 'FAILED',
      output: null,
      validation: { score: 0 },
      gateline: { status: 'lost', kind: 'lost', attempt: 2, digest: null },
    });
    expect(file?.validation.issues).toEqual([expect.stringMatching(/^lost: attempt 2 began/)]);
  });

  it('of a skipped gate is PARTIAL, with the output that was supplied, who skipped it and why', () => {
    const file = envelope('data', stateOf([decided('data')]), { dataFile: 'x' });
    expect(file).toMatchObject({
      status: 'PARTIAL',
      output: { dataFile: 'x' },
      gateline: { how: 'skipped', kind: null },
    });
    expect(file?.validation).toEqual({ score: 0, passed: false, issues: ['skipped: skipped by octocat: not today'] });
  });

  it('of an output that passed and was rejected is FAILED and says by whom', () => {
    const file = envelope(
      'data',
      stateOf([...ran('data'), decided('data', { n: 4 }, { decision: 'reject', reason: 'wrong seed' })]),
      1,
    );
    expect(file).toMatchObject({
      status: 'FAILED',
      validation: { score: 95, passed: false, issues: ['failed: rejected by octocat: wrong seed'] },
    });
  });

  it('names where an output lies that is too large, and why one cannot be shown', () => {
    expect(envelope('dom', failedRun(), undefined, { outputFile: 'content/x' })).toMatchObject({
      output: null,
      gateline: { outputFile: 'content/x' },
    });
    expect(envelope('dom', failedRun(), undefined, { outputProblem: 'gone' })?.validation.issues[0]).toBe('gone');
  });

  it('has an issue as one text', () => {
    expect(issueText({ severity: 'error', message: 'm' })).toBe('m');
    expect(issueText({ severity: 'error', message: 'm', pointer: '' })).toBe('m');
    expect(issueText({ severity: 'error', message: 'm', pointer: '/a/0' })).toBe('m (at /a/0)');
  });
});

describe('metadata of the guide', () => {
  it('is always three texts, derived where the pipeline does not say', () => {
    expect(stateMetadata({}, 'pr-42')).toEqual({ domain: '', feature: 'pr-42', url: '' });
    expect(stateMetadata({ url: 'https://demoqa.com:8080/x' }, 'demoqa_com-login')).toEqual({
      domain: 'demoqa_com',
      feature: 'login',
      url: 'https://demoqa.com:8080/x',
    });
    expect(stateMetadata({ domain: 'd', feature: 'f', url: 'not a url' }, 's')).toEqual({
      domain: 'd',
      feature: 'f',
      url: 'not a url',
    });
    expect(stateMetadata({ domain: 7, feature: { a: [1] }, url: null }, 's')).toEqual({
      domain: '7',
      feature: '{"a":[1]}',
      url: '',
    });
  });
});

describe('a state file that somebody else wrote', () => {
  it.each(GUIDE_EXAMPLES.map((example) => [example.gate, example] as const))(
    'is read as the guide shows it for gate %i, and its output is the input',
    (gate, example) => {
      const file = readGateState(structuredClone(example));
      expect(file).toEqual(example);
      expect(callerInput(file)).toEqual({
        gate,
        agent: example.agent,
        output: example.output,
        ours: false,
        warnings: [],
      });
    },
  );

  it('may have keys that the guide does not know; its output is taken as it is', () => {
    const output = JSON.parse('{"__proto__": {"a": 1}, "b": [null, true, 1.5, "x"]}') as JsonValue;
    const file = readGateState({ ...GUIDE_EXAMPLES[0], extra: 1, output });
    expect(file.output).toBe(output);
    expect(file).not.toHaveProperty('extra');
  });

  it('is usable when PARTIAL, with a word about it, and not when FAILED, without stopping anybody', () => {
    const partial = callerInput(readGateState({ ...GUIDE_EXAMPLES[2], status: 'PARTIAL' }));
    expect(partial.output).toEqual(GUIDE_EXAMPLES[2].output);
    expect(partial.warnings).toEqual(['gate 2 (DOMAgent) is only PARTIAL, with a score of 87']);
    const failed = callerInput(readGateState({ ...GUIDE_EXAMPLES[2], status: 'FAILED' }));
    expect(failed.output).toBeUndefined();
    expect(failed.warnings).toEqual(['gate 2 (DOMAgent) FAILED: its output is not used']);
  });

  it('that contradicts itself is taken, and told of', () => {
    const file = readGateState({ ...GUIDE_EXAMPLES[0], validation: { score: 10, issues: [], passed: false } });
    expect(callerInput(file).warnings).toEqual([
      'gate 0 (TestCaseDesigner) has status SUCCESS, but its validation did not pass',
    ]);
  });

  it('of ours is known as ours, and one without its output says where that lies', () => {
    const input = callerInput(
      readGateState(envelope('dom', failedRun(), undefined, { outputFile: 'content/sha256/ab/c' })),
    );
    expect(input).toMatchObject({ ours: true, output: undefined });
    expect(input.warnings).toEqual([
      'the output of gate 2 (DOMAgent) is too large for its state file: it is in content/sha256/ab/c',
    ]);
  });

  it('is refused with the JSON pointer of everything that is wrong', () => {
    const bad = {
      ...GUIDE_EXAMPLES[0],
      gate: -1,
      status: 'DONE',
      metadata: { domain: 'd', feature: 1, url: 'u' },
      validation: { score: 101, issues: ['x', 2], passed: 'yes' },
    };
    const message = problemsOf(bad, '.state/x-gate0-output.json');
    expect(message).toContain('.state/x-gate0-output.json is not a gate state file');
    for (const pointer of [
      '/gate:',
      '/status:',
      '/metadata/feature:',
      '/validation/score:',
      '/validation/issues/1:',
      '/validation/passed:',
    ])
      expect(message).toContain(pointer);
    expect(message).toContain('/metadata/feature: expected a text, found the number 1');
    expect(message).toContain('/validation/passed: expected true or false, found the text "yes"');
    const { agent: _, ...without } = { ...GUIDE_EXAMPLES[0], gate: 1 } as Record<string, unknown>;
    expect(problemsOf(without)).toContain('/agent: it is missing');
    expect(problemsOf(null)).toContain('the value:');
    expect(problemsOf([])).toContain('the value:');
  });

  it('must have every key of the guide', () => {
    for (const key of ['gate', 'agent', 'status', 'metadata', 'output', 'validation'] as const) {
      const { [key]: _left, ...rest } = GUIDE_EXAMPLES[0];
      expect(problemsOf(rest)).toContain(`/${key}:`);
    }
  });

  it('with an output that is not JSON, or deeper than anybody may recurse, is refused at /output', () => {
    let deep: JsonValue = 1;
    for (let depth = 0; depth < 5_000; depth += 1) deep = [deep];
    for (const output of [deep, undefined, Number.NaN, () => 1, { a: 1n }])
      expect(problemsOf({ ...GUIDE_EXAMPLES[0], output })).toContain('/output:');
  });

  it('with a key of ours of another version is refused rather than half understood', () => {
    expect(problemsOf({ ...GUIDE_EXAMPLES[0], gateline: { format: 'gateline-gate-state/9' } })).toContain(
      '/gateline/format:',
    );
  });
});
