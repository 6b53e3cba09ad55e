import { describe, expect, it } from 'vitest';
import { runSummaryLines } from '../../../src/report/terminal/run-summary.ts';
import { decided, ended, failedRun, gate, pipelineOf, ran, started, stateOf, webTests } from '../fixtures.ts';
import { HOSTILE, OBEYED_BY_TERMINALS } from '../hostile.ts';

const about = 'web_tests for demoqa_com-student_registration';
const all = ['data', 'design', 'dom', 'pom', 'execute', 'learn'];

describe('the summary of a run', () => {
  it('of a failed run says what failed, why, what will be reused and the command', () => {
    expect(runSummaryLines(failedRun().state)).toEqual([
      `Run 3 of ${about}: error. 4 of 6 gates done (2 reused); execute failed (check): \`output.finalStatus.passRate >= 90\` is false: passRate is 60.`,
      'Fix it and run `gateline run` again: data, design, dom and pom will be reused. `gateline show execute` shows the details.',
    ]);
  });

  it('of no run says how to begin', () => {
    expect(runSummaryLines(stateOf([]).state)).toEqual([
      `There is no run of ${about} yet.`,
      'Run `gateline run` to start.',
    ]);
  });

  it('of a completed run counts what was partial or skipped', () => {
    const records = [...all.filter((id) => id !== 'learn').flatMap((id) => ran(id)), decided('learn')];
    expect(runSummaryLines(stateOf(records).state)).toEqual([
      `Run 1 of ${about}: completed. 6 of 6 gates done (1 skipped).`,
      'Everything is done. `gateline run` starts a new run, which reuses every gate whose inputs are unchanged.',
    ]);
  });

  it('of a run at work says to wait, and of one between gates to go on', () => {
    expect(runSummaryLines(stateOf([...ran('data'), started('design')]).state)[1]).toBe(
      'Wait for it, or check `gateline status`.',
    );
    expect(runSummaryLines(stateOf(ran('data')).state)[1]).toBe('Run `gateline run` to continue: data will be reused.');
  });

  it('of a paused run names the gate that waits', () => {
    const pipeline = pipelineOf([
      gate('review', 0, { contract: { ...webTests.gates[0]!.contract, partial: 'pause' } }),
    ]);
    const verdict = { status: 'partial', kind: 'partial', score: 70, issues: [], advice: '' } as const;
    const { state } = stateOf(ran('review', { pipeline }, { verdict: { ...verdict, issues: [] } }), { pipeline });
    expect(runSummaryLines(state)).toEqual([
      `Run 1 of ${about}: paused. 0 of 1 gate done; review waits: score 70 is below the threshold of 80: waiting for approval.`,
      'It waits for an approval. `gateline show review` shows the output.',
    ]);
  });

  it('of a lost attempt does not ask to fix anything', () => {
    const [, next] = runSummaryLines(
      stateOf([...ran('data'), started('design')], { deadWriters: new Set(['host|boot|7|1']) }).state,
    );
    expect(next).toBe('Run `gateline run` again: data will be reused.');
  });

  it('of a run that was rolled back begins anew', () => {
    const { state } = stateOf([...ran('data'), decided('-', { n: 5 }, { decision: 'rollback' })]);
    expect(runSummaryLines(state)[1]).toBe('It was rolled back. `gateline run` starts a new run.');
  });

  it('says exactly the commands that it is given', () => {
    const commands = {
      run: 'gateline run --subject pr-42',
      show: (key: string) => `gateline show ${key} --subject pr-42`,
    };
    const [, next] = runSummaryLines(failedRun().state, commands);
    expect(next).toContain('`gateline run --subject pr-42` again');
    expect(next).toContain('`gateline show execute --subject pr-42`');
  });

  it('tells of records that could not be read', () => {
    const problems = ['a', 'b'].map((where) => ({ code: 'CORRUPT' as const, where, message: 'not JSON' }));
    expect(runSummaryLines(stateOf(ran('data'), { problems }).state)[2]).toBe(
      'Warning: a: not JSON (CORRUPT). (1 more: `gateline status --json`)',
    );
  });

  it.each(HOSTILE)('obeys nothing in %j', (text) => {
    const verdict = { status: 'failed', kind: 'schema', score: 0, issues: [], advice: text } as const;
    const problems = [{ code: 'CORRUPT' as const, where: text, message: text }];
    for (const records of [
      ran('data', { subject: text }, { verdict: { ...verdict, issues: [] } }),
      [
        ended('data', { subject: text }),
        decided('data', { subject: text, n: 4 }, { decision: 'reject', actor: text, reason: text }),
      ],
    ]) {
      const lines = runSummaryLines(stateOf(records, { subject: text, problems }).state);
      expect(lines).toHaveLength(3);
      for (const line of lines) {
        expect(line).not.toContain('\n');
        expect(line).not.toMatch(OBEYED_BY_TERMINALS);
      }
    }
  });
});
