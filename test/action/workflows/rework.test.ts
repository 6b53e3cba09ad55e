import { describe, expect, it } from 'vitest';
import { externalIdOf, titleOf, type CheckedDecision } from '../../../src/action/decisions/check-run.ts';
import type { EndedRecord } from '../../../src/run/records/record.ts';
import { headOf } from '../../support/runner/repository.ts';
import { addRun } from '../../support/github/workflow-runs.ts';
import type { RunReport, WorkflowRun } from '../../support/runner/workflow-run.ts';
import {
  errorsOf,
  messagesOf,
  outputsOf,
  redJobs,
  WORKFLOW,
  type ActionWorld,
  type WorldRunOptions,
} from './action-world.ts';
import { pullRequest } from './pull-request.ts';
import { ON, reworkWorld } from './rework-world.ts';
import { type Keys } from './workflow-text.ts';

/** Starts what was dispatched until nothing is, and gives the report of each run. */
async function follow(world: ActionWorld, options: WorldRunOptions = {}): Promise<RunReport[]> {
  const reports: RunReport[] = [];
  for (let next = await world.dispatched(options); next.length > 0; next = await world.dispatched(options)) {
    for (const run of next) reports.push(await run.start().ended);
  }
  return reports;
}

const inputsOf = (on: Keys): object => (on['workflow_dispatch'] as { inputs: object }).inputs;

const summaryOf = (report: RunReport): string => report.job('report').summary;

/** The iterations in the history, the latest run first. */
function historyRows(report: RunReport): string[] {
  const rows = summaryOf(report)
    .split('\n')
    .filter((line) => /^\| \[\d+\]\(/.test(line));
  return rows.map((line) => line.split('|')[2]!.trim());
}

describe('a run that fails its review', () => {
  it('starts the next one, which begins at the target and goes on with its files, until the review passes', async () => {
    await using world = await reworkWorld({ passes: 3, plan: true });
    const first = await (await world.run()).start().ended;
    expect(first.job('review').conclusion).toBe('failure');
    expect(first.job('report').conclusion).toBe('failure');
    expect(summaryOf(first)).toContain('`write` is sent back by `review`: another run does iteration 2.');
    expect(await world.startedGates()).toEqual(['plan', 'review', 'write']);
    expect(outputsOf(first.job('write'))).toMatchObject({ iteration: '1' });

    const [second, third, ...more] = await follow(world);
    expect(more).toEqual([]);
    expect(await world.startedGates()).toEqual(['review', 'review', 'write', 'write']);
    expect(outputsOf(second!.job('plan'))).toMatchObject({ decision: 'reuse' });
    expect(outputsOf(second!.job('write'))).toMatchObject({ decision: 'run', iteration: '2' });
    expect(redJobs(third!)).toEqual([]);
    expect(outputsOf(third!.job('write'))).toMatchObject({ iteration: '3' });
    expect(third!.job('write').summary).toMatch(/\| Iteration \| 3 \|/);
    expect(summaryOf(first)).not.toContain('iteration 1');
    for (const report of [first, second!, third!]) expect(summaryOf(report)).not.toContain('unverified');
    expect(summaryOf(third!)).toMatch(/^\[run 3, run attempt 1\].*, iteration 3 of 4 of `write`$/m);
    expect(summaryOf(third!)).toMatch(/^\| Run \| Iteration \| Result \|/m);
    expect(historyRows(third!)).toEqual(['3', '2', '']);
    expect(outputsOf(third!.job('report'), 'report')).toMatchObject({ passed: 'true', iteration: '3' });
    expect(world.endings().filter((one) => one.startsWith('review'))).toEqual([
      'review 1.1.1 ran partial',
      'review 2.1.1 ran partial',
      'review 3.1.1 ran passed',
    ]);

    // A push and a pull request that change no input start no agent, and have the files of the last iteration.
    const writes = (): EndedRecord[] =>
      world.records().filter((one): one is EndedRecord => one.kind === 'ended' && one.gate === 'write');
    const last = writes().find(({ runNumber }) => runNumber === 3)!;
    expect(redJobs(await (await world.run()).start().ended)).toEqual([]);
    expect(redJobs(await (await world.run(await pullRequest(world))).start().ended)).toEqual([]);
    expect(await world.startedGates()).toEqual([]);
    const later = writes().filter(({ runNumber }) => runNumber > 3);
    expect(later.map(({ files, how }) => [how, files])).toEqual([
      ['reused', last.files],
      ['reused', last.files],
    ]);
  });
});

describe('a loop whose last review is partial and waits', () => {
  const DECISIONS = { decision: { type: 'string' }, gate: { type: 'string' }, reason: { type: 'string' } };
  const on = { ...ON, workflow_dispatch: { inputs: { ...inputsOf(ON), ...DECISIONS } } };

  const permissions = { actions: 'write', checks: 'read', contents: 'read' };

  /** Two runs: the review sends the work of the first one back, and waits in the second one. */
  async function waitingWorld(): Promise<{ world: ActionWorld; run: WorkflowRun; review: EndedRecord }> {
    const world = await reworkWorld({ review: 'pauses', on, permissions });
    world.service.world.collaborators.set('maria', 'write');
    await (await world.run()).start().ended;
    const [run, ...more] = await world.dispatched();
    expect(more).toEqual([]);
    const report = await run!.start().ended;
    expect(errorsOf(report.job('review'))).toEqual([expect.stringMatching(/^Waiting for approval/)]);
    expect(await world.dispatched()).toEqual([]);
    expect(await world.startedGates()).toEqual(['review', 'review', 'write', 'write']);
    const review = world.records().findLast((one): one is EndedRecord => one.kind === 'ended' && one.gate === 'review');
    return { world, run: run!, review: review! };
  }

  it('ended well when a run approves it: no agent starts there, nor that of the work in later runs', async () => {
    const { world, review } = await waitingWorld();
    await using _ = world;
    const inputs = { resume: review.by.runId!, decision: 'approve', gate: 'review', reason: 'good enough' };
    const payload = { inputs, sender: { login: 'maria', type: 'User' } };
    const about = { event: 'workflow_dispatch', actor: 'maria' };
    const approved = await (await world.run({ about, inputs, payload })).start().ended;
    expect(redJobs(approved)).toEqual([]);
    expect(await world.startedGates()).toEqual([]);

    // The approval is for that run only: its output waits again.
    const later = await (await world.run()).start().ended;
    expect(outputsOf(later.job('write'))).toMatchObject({ decision: 'reuse', passed: 'true' });
    expect(later.job('review').conclusion).toBe('failure');
    expect(await world.startedGates()).not.toContain('write');
  });

  it('ended well when a check run approves it: the same run passes, and later runs start no agent', async () => {
    const { world, run, review } = await waitingWorld();
    await using _ = world;
    const { fingerprint, value, by, runNumber } = review;
    const checked: CheckedDecision = {
      decision: 'approve',
      decidingRun: 900,
      aboutRun: Number(by.runId),
      position: { runNumber, runAttempt: 2, n: 0 },
      fingerprint,
      output: value!.digest,
    };
    const displayTitle = titleOf(checked, 'review');
    addRun(world.service.world, { id: 900, event: 'workflow_dispatch', actor: 'maria', path: WORKFLOW, displayTitle });
    world.service.world.checkRuns.push({
      id: 900,
      repository: 'octo/gates',
      name: 'gateline decision: article/review',
      headSha: await headOf(world.repository.root),
      externalId: externalIdOf(checked),
      conclusion: 'success',
      output: { title: 'approve', summary: 'good enough' },
      app: 'github-actions',
    });
    expect(redJobs(await run.rerunFailed().ended)).toEqual([]);
    const later = await (await world.run()).start().ended;
    expect(redJobs(later)).toEqual([]);
    expect(await world.startedGates()).toEqual([]);
  });
});

describe('a report', () => {
  it('starts nothing when the branch has moved, and says so', async () => {
    await using world = await reworkWorld();
    const run = await world.run();
    world.service.world.heads.set('main', 'f'.repeat(40));
    const report = await run.start().ended;
    expect(world.service.world.dispatches).toEqual([]);
    expect(messagesOf(report.job('report'), 'notice')).toContainEqual(
      expect.stringMatching(
        /^Not sent back: Nothing is sent back: main is at fffffff now, and this run is of \w{7}\.$/,
      ),
    );
  });

  it.each([
    ['no permission to', { permissions: { actions: 'read', contents: 'read' } }, /actions: write/],
    ['a workflow that cannot be', { on: { push: {} } }, /workflow_dispatch:\n {4}inputs:\n {6}resume: /],
    ['a workflow without its inputs to be', { on: { ...ON, workflow_dispatch: {} } }, /rework: \{ type: string \}/],
  ])('with %s started says what to add, and the whole command', async (_, options, text) => {
    await using world = await reworkWorld(options);
    const summary = summaryOf(await (await world.run()).start().ended);
    expect(summary).toMatch(text);
    expect(summary).toMatch(
      /gh workflow run gates\.yml --repo octo\/gates --ref main -f resume=502 -f rework='\{"count":1,/,
    );
    expect(world.service.world.dispatches).toEqual([]);
  });
});

describe('a pull request', () => {
  it('is refused to a run of another commit', async () => {
    await using world = await reworkWorld();
    await (await world.run(await pullRequest(world))).start().ended;
    const [run] = await world.dispatched();
    const [pull] = world.service.world.pulls;
    Object.assign(pull!.head, { sha: 'e'.repeat(40) });
    const report = await run!.start().ended;
    expect(errorsOf(report.job('write'))).toEqual([expect.stringContaining('DISPATCH_SUBJECT')]);
  });

  it('from a fork sends nothing back', async () => {
    await using world = await reworkWorld();
    const report = await (await world.run(await pullRequest(world, 'mallory/gates'))).start().ended;
    expect(world.service.world.dispatches).toEqual([]);
    expect(summaryOf(report)).toContain(
      '**Nothing is sent back:** runs of pull requests from forks send no work back.',
    );
  });
});
