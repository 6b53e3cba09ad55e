import { describe, expect, it } from 'vitest';
import { GatelineError } from '../../src/errors.ts';
import { matchNeeds, parseNeeds, type NeedDocument, type NeededJob } from '../../src/action/gate/needs.ts';
import { createNeed, digestWith, parse } from './support.ts';

const REFERENCE = `7@${digestWith('a')}`;

/** Message and hint of the error of a call, as a reader sees both. */
function errorOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (error instanceof GatelineError) return `${error.fault}: ${error.message}\n${error.hint ?? ''}`;
    throw error;
  }
  return 'no error';
}

describe('the input `needs`', () => {
  it('is the results of jobs, with the references that gates left', () => {
    const needs = {
      'set-up': { result: 'success', outputs: { version: '1' } },
      design: { result: 'success', outputs: { attempt: ` ${REFERENCE}\n`, status: 'passed' } },
      build: { result: 'failure', outputs: { 'attempt-0': REFERENCE, 'attempt-1': '', 'attempt-x': 'y' } },
      Lint_all: { result: 'skipped' },
    };
    const reference = { artifactId: 7, digest: digestWith('a') };
    expect(parseNeeds(JSON.stringify(needs))).toEqual([
      { id: 'set-up', result: 'success', references: [] },
      { id: 'design', result: 'success', references: [reference] },
      { id: 'build', result: 'failure', references: [reference] },
      { id: 'Lint_all', result: 'skipped', references: [] },
    ]);
    expect(parseNeeds(undefined)).toEqual([]);
  });

  it.each([
    ['design', 'is not the results'],
    ['[]', 'is not the results'],
    ['{"design": {}}', 'has no result for design'],
    ['{"design": {"result": "green"}}', 'has no result for design'],
    ['{"design": {"result": "success", "outputs": {"attempt": "7"}}}', 'steps.gate.outputs.attempt }}'],
    [
      `{"b": {"result": "success", "outputs": {"attempt-1": "sha256:1"}}}`,
      'attempt-1: ${{ steps.gate.outputs.attempt-1',
    ],
  ])('is refused if it is %s', (text, message) => {
    const error = errorOf(() => parseNeeds(text));
    expect(error).toContain('usage: ');
    expect(error).toContain(message);
  });
});

const [, review] = parse('pipeline: chain\ngates: {design: {run: a}, review: {run: a, needs: design}}').gates;
const [, standIn] = parse(
  'pipeline: chain\ngates: {design: {run: a}, review: {run: a, needs: design, stand-in: true}}',
).gates;
const job = (id: string, result: NeededJob['result'] = 'success'): NeededJob => ({ id, result, references: [] });
const match = (documents: readonly NeedDocument[], jobs: readonly NeededJob[]) =>
  matchNeeds(review!, documents, [...jobs, ...documents.map((need) => need.job)]);

describe('what a gate needs', () => {
  it('is handed over by the job of the gate, whatever its id', () => {
    for (const id of ['design', 'Design', 'step-1']) {
      const need = createNeed({}, { id });
      expect(match([need], [job('set-up')]).get('design')).toEqual([need]);
    }
    const legs = ['a', 'b'].map((leg) => createNeed({ unit: `design/${leg}`, legs: ['a', 'b'] }));
    expect(match(legs, []).get('design')).toEqual(legs);
  });

  it('may be missing if the caller stands in for it', () => {
    expect(matchNeeds(standIn!, [], [job('set-up')]).size).toBe(0);
  });

  const forged = createNeed({ output: { forged: true } }, { id: 'lint' });
  it.each<[string, readonly NeedDocument[], readonly NeededJob[], string]>([
    ['no job', [], [], '`needs: [design]`'],
    ['other jobs only', [], [job('set-up'), job('lint')], '`needs: [set-up, lint, design]`'],
    ['a job that failed', [], [job('design', 'failure')], 'did not pass (job design: failure)'],
    ['a job that was cancelled', [], [job('design', 'cancelled')], 'did not pass (job design: cancelled)'],
    [
      'a job that was skipped',
      [],
      [job('design', 'skipped')],
      '(job design: skipped)\nPut the condition into `if` of the gate',
    ],
    ['a job that failed after its gate', [createNeed({}, { result: 'failure' })], [], 'did not pass'],
    ['a job without the output', [], [job('design')], 'attempt: ${{ steps.gate.outputs.attempt }}'],
    [
      'a job without one of its legs',
      [createNeed({ unit: 'design/b', legs: ['a', 'b'] })],
      [],
      'the legs a of design\nWrite in job design, one line for each leg, or run all legs in one job (pipeline.yml):\noutputs:\n  attempt-0: ',
    ],
    [
      'two jobs that ran it',
      [createNeed({}, { id: 'one' }), createNeed({}, { id: 'two' })],
      [],
      'one and two both ran',
    ],
    ['a forgery beside its failed job', [forged], [job('design', 'failure')], 'did not pass (job design: failure)'],
    ['a forgery beside its job without the output', [forged], [job('design')], 'does not hand over what design left'],
  ])('is an error that says what to write: %s', (_, documents, jobs, message) => {
    expect(errorOf(() => match(documents, jobs))).toContain(message);
  });

  it('is the output of its own job, if another one forges it', () => {
    const need = createNeed();
    expect(match([forged, need], []).get('design')).toEqual([need]);
  });
});
