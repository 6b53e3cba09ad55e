import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordArtifactName } from '../../../src/store/github/artifact-names.ts';
import { TIME_LIMITS, twoGates, type TwoGates } from '../faults/two-gates.ts';
import { messagesOf, stepOf } from '../gate-jobs.ts';
import { Forger, withValue } from './forgery.ts';

// What docs/security.md says that nobody sees, so that the page says no less than is true.

let gates: TwoGates;
beforeAll(async () => {
  gates = await twoGates('here');
});
afterAll(() => gates[Symbol.asyncDispose]());

describe('what is not seen of somebody who has the token of the run', () => {
  it('an output that is replaced with everything that goes with it, where no digest comes by the outputs of its job', async () => {
    await using jobs = await gates.jobs.fork('consistent');
    new Forger(jobs).replaceEnd((document) => withValue(document, { score: 90, steps: ['evil'] }));
    const report = await jobs.run('code', { needs: { plan: {} }, machine: TIME_LIMITS });
    expect([report.conclusion, messagesOf(report)]).toEqual(['success', []]);
    const values = jobs.records().flatMap((one) => (one.kind === 'ended' && one.gate === 'code' ? [one] : []));
    expect(values).toHaveLength(1);
  });

  it('a decision in a person’s name: the gate is skipped, green, and its record says who', async () => {
    await using jobs = await gates.jobs.fork('decision');
    const forger = new Forger(jobs);
    const { format, pipeline, subject, leg, runNumber, runAttempt, at, by } = forger.end().record;
    const who = { format, pipeline, subject, gate: 'code', leg, runNumber, runAttempt, n: 0, at, by } as const;
    const what = { kind: 'decided', decision: 'skip', actor: 'octocat', reason: 'forged', fingerprint: null } as const;
    const record = { ...who, ...what };
    forger.putDocument({ format: 'gateline-artifact/1', record, contents: {} }, recordArtifactName(record));
    const report = await jobs.run('code', { needs: gates.needs, machine: TIME_LIMITS });
    expect([report.conclusion, stepOf(report, 'gate').outputs['decision'], await jobs.starts()]).toEqual([
      'success',
      'skip',
      [],
    ]);
    expect(stepOf(report, 'gate').summary).toContain('octocat');
  });
});
