import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RUN_GATE, type DecidedRecord } from '../../../src/run/records/record.ts';
import { recordArtifactName } from '../../../src/store/github/records/artifact-names.ts';
import { TIME_LIMITS } from '../faults/two-gates.ts';
import { ACTION, GateJobs, messagesOf, stepOf, WORKFLOW } from '../gate-jobs.ts';
import { Forger } from './forgery.ts';

// Every job of a run can upload a decision, in anybody's name. None may open a gate.

const JOBS = `
on: push
jobs:
  plan:
    runs-on: ubuntu-latest
    outputs: { digest: '\${{ steps.gate.outputs.digest }}' }
    steps:
      - uses: actions/checkout@v7
      - id: gate
        uses: ${ACTION}
        with: { run: 'echo plan >> "$START_LOG" && cp plan.json "$GATELINE_OUTPUT" && exit \${EXIT:-0}', inputs: '[]' }
  draft:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v7
      - id: gate
        uses: ${ACTION}
        with:
          run: echo draft >> "$START_LOG" && cp draft.json "$GATELINE_OUTPUT"
          inputs: '[]'
          score: /score
          threshold: 80
          partial: pause
  code:
    runs-on: ubuntu-latest
    needs: [plan, draft]
    steps:
      - uses: actions/checkout@v7
      - id: gate
        uses: ${ACTION}
        with:
          needs: \${{ toJSON(needs) }}
          run: echo code >> "$START_LOG" && cp plan.json "$GATELINE_OUTPUT"
          inputs: '[]'
  report:
    runs-on: ubuntu-latest
    needs: [plan, code]
    if: always()
    steps:
      - uses: actions/checkout@v7
      - id: gate
        uses: ${ACTION}
        with: { command: report, needs: '\${{ toJSON(needs) }}', comment: never, history: 0 }
`;

let jobs: GateJobs;
beforeAll(async () => {
  const files = { [WORKFLOW]: JOBS, 'plan.json': '{"score": 90}', 'draft.json': '{"score": 50}' };
  jobs = await GateJobs.create(files, { how: 'mostly here' });
  const plan = await jobs.run('plan');
  if (plan.conclusion !== 'success') throw new Error(plan.log.join('\n'));
});
afterAll(() => jobs[Symbol.asyncDispose]());

/** Uploads a decision about a gate, after everything that there is, in the name of octocat. */
function decide(
  forged: GateJobs,
  gate: string,
  decision: DecidedRecord['decision'],
  more: Pick<DecidedRecord, 'output'> = {},
): void {
  const forger = new Forger(forged);
  const { format, pipeline, subject, leg, runNumber, at, by } = forger.end().record;
  const place = { format, pipeline, subject, gate, leg, runNumber, runAttempt: 9, n: 0, at, by } as const;
  const what = { kind: 'decided', decision, actor: 'octocat', reason: 'forged', fingerprint: null } as const;
  const record = { ...place, ...what, ...more };
  forger.putDocument({ format: 'gateline-artifact/1', record, contents: {} }, recordArtifactName(record));
}

const IGNORED = /is ignored: every job of the run can write such a record$/;
const UNPROVEN = /is used unverified: every job of the run can write such a record$/;

describe('a forged decision about the whole run', () => {
  it.each(['pause', 'close'] as const)('%s: is used and named, and no agent starts', async (decision) => {
    await using forged = await jobs.fork(decision);
    decide(forged, RUN_GATE, decision);
    const report = await forged.run('code', { needs: { plan: {} }, machine: TIME_LIMITS });
    expect([report.conclusion, await forged.starts()]).toEqual(['failure', []]);
    expect(messagesOf(report)).toEqual([
      expect.stringMatching(UNPROVEN),
      expect.stringMatching(/^error .*GATE_BLOCKED: gate code: run \d+ is (?:paused|closed) by octocat \(unverified\)/),
    ]);
  });
});

describe('a forged decision that opens a gate', () => {
  it('skip: is ignored, named, and the agent runs', async () => {
    await using forged = await jobs.fork('skip');
    decide(forged, 'code', 'skip');
    const report = await forged.run('code', { needs: { plan: {} }, machine: TIME_LIMITS });
    expect([report.conclusion, stepOf(report, 'gate').outputs['decision'], await forged.starts()]).toEqual([
      'success',
      'run',
      ['code'],
    ]);
    expect(messagesOf(report)).toEqual([
      expect.stringMatching(/^notice.*skip of code, in the name of octocat, is ignored/),
    ]);
  });

  it('skip: does not make a report green for a job that was skipped', async () => {
    await using forged = await jobs.fork('report');
    const order = {
      contexts: { needs: { plan: { result: 'success', outputs: {} }, code: { result: 'skipped', outputs: {} } } },
    };
    decide(forged, 'code', 'skip');
    decide(forged, 'code', 'reject');
    const report = await forged.run('report', { machine: TIME_LIMITS, order });
    expect([report.conclusion, stepOf(report, 'gate').outputs['passed']]).toEqual(['failure', 'false']);
    expect(stepOf(report, 'gate').summary).toContain('DECISION_IGNORED');
  });

  it('adopt: is ignored, named, and the agent runs', async () => {
    await using forged = await jobs.fork('adopt');
    decide(forged, 'code', 'adopt', { output: new Forger(forged).end().record.value!.digest });
    const report = await forged.run('code', { needs: { plan: {} }, machine: TIME_LIMITS });
    expect([report.conclusion, stepOf(report, 'gate').outputs['decision'], await forged.starts()]).toEqual([
      'success',
      'run',
      ['code'],
    ]);
    expect(messagesOf(report)).toEqual([expect.stringMatching(IGNORED)]);
  });

  it('approve: is ignored, and the message of the gate says how a person approves it', async () => {
    await using forged = await jobs.fork('approve');
    const draft = await forged.run('draft', { machine: TIME_LIMITS });
    const paused =
      /^error Waiting for approval:.*score 50 is below the threshold of 80.*the summary of its job shows the command/;
    expect(messagesOf(draft)).toEqual([expect.stringMatching(paused)]);
    decide(forged, 'draft', 'approve');
    const code = await forged.run('code', { needs: { plan: {}, draft: {} }, machine: TIME_LIMITS });
    expect([code.conclusion, await forged.starts()]).toEqual(['failure', ['draft']]);
    expect(messagesOf(code)).toEqual([
      expect.stringMatching(IGNORED),
      expect.stringMatching(/^error.*UPSTREAM_NOT_DONE.*draft is paused/),
    ]);
    const again = await forged.run('draft', { attempt: 2, machine: TIME_LIMITS });
    expect([again.conclusion, await forged.starts()]).toEqual(['failure', ['draft']]);
    expect(messagesOf(again)).toEqual([
      expect.stringMatching(IGNORED),
      expect.stringMatching(/^error.*the summary of its job shows the command/),
    ]);
    expect(messagesOf(again).join('\n')).not.toContain('gateline decide');
  });
});

describe('a decision that closes a gate, and that nobody can verify', () => {
  it('reject: is used, and named', async () => {
    await using forged = await jobs.fork('reject');
    decide(forged, 'plan', 'reject');
    const report = await forged.run('code', { needs: { plan: {} }, machine: TIME_LIMITS });
    expect([report.conclusion, await forged.starts()]).toEqual(['failure', []]);
    expect(messagesOf(report)).toEqual([
      expect.stringMatching(UNPROVEN),
      expect.stringMatching(/^error.*plan is failed: rejected by octocat \(unverified\): forged/),
    ]);
  });

  it('force: is used, and the agent runs again', async () => {
    await using forged = await jobs.fork('force');
    decide(forged, 'plan', 'force');
    const report = await forged.run('plan', { attempt: 10, machine: TIME_LIMITS });
    expect([report.conclusion, await forged.starts()]).toEqual(['success', ['plan']]);
    expect(messagesOf(report)).toEqual([expect.stringMatching(UNPROVEN)]);
    expect(report.log.join('\n')).toContain('octocat (unverified) asked for a new attempt: forged');
  });

  it('force, after everything: the message says that the agent failed', async () => {
    await using forged = await jobs.fork('force and fail');
    decide(forged, 'plan', 'force');
    const report = await forged.run('plan', { attempt: 2, machine: { ...TIME_LIMITS, EXIT: '7' } });
    expect([report.conclusion, await forged.starts()]).toEqual(['failure', ['plan']]);
    expect(messagesOf(report)).toContainEqual(
      expect.stringMatching(/^error Gate failed: the agent failed: gate plan: agent-error: .*code 7/),
    );
    expect(report.annotations.map(({ message }) => message).join('\n')).not.toContain('all needed gates are done');
  });

  it('force, after everything: the message says why an output that passed is not used', async () => {
    await using forged = await jobs.fork('force and pass');
    decide(forged, 'plan', 'force');
    const report = await forged.run('plan', { attempt: 2, machine: TIME_LIMITS });
    expect([report.conclusion, await forged.starts()]).toEqual(['failure', ['plan']]);
    expect(messagesOf(report)).toContainEqual(
      expect.stringMatching(/^error Gate blocked: gate plan: octocat \(unverified\) asked for a new attempt: forged$/),
    );
  });
});
