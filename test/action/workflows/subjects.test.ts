import { describe, expect, it } from 'vitest';
import type { EndedRecord } from '../../../src/run/records/record.ts';
import { headOf } from '../../support/runner/repository.ts';
import { ActionWorld, errorsOf, outputsOf, redJobs, type WorldRunOptions } from './action-world.ts';
import { agent, gateJob, reportJob } from './workflow-text.ts';
import { IS_FULL } from '../../support/test-size.ts';

const PULL = 7;
const RESUME = '${{ inputs.resume }}';
const JOBS = {
  one: gateJob({ run: agent({ one: 1 }), inputs: 'one.txt', resume: RESUME }),
  two: gateJob({ run: agent({ two: 2 }), inputs: 'two.txt', resume: RESUME }, { needs: 'one' }),
  report: reportJob(['one', 'two']),
};
const FILES = { 'one.txt': '1\n', 'two.txt': '2\n' };

/** A run for a pull request of the branch `feature` into `main`, with what is committed now. */
async function pullRequest(world: ActionWorld, base: string, more: WorldRunOptions = {}): Promise<WorldRunOptions> {
  const head = await headOf(world.repository.root);
  const side = (sha: string, ref: string): object => ({ sha, ref, repo: { full_name: 'octo/gates' } });
  return {
    about: { event: 'pull_request', headBranch: 'feature', headSha: head, pullRequests: [PULL] },
    payload: {
      repository: { full_name: 'octo/gates', default_branch: 'main' },
      pull_request: { number: PULL, head: side(head, 'feature'), base: side(base, 'main') },
    },
    ...more,
  };
}

/** A world whose first run was one of main: every gate ran. */
async function withMain(): Promise<{ world: ActionWorld; base: string; runId: string }> {
  const world = await ActionWorld.ofJobs(JOBS, FILES);
  const base = await headOf(world.repository.root);
  const run = await world.run();
  expect(redJobs(await run.start().ended)).toEqual([]);
  expect(await world.startedGates()).toEqual(['one', 'two']);
  const [first] = world.records();
  return { world, base, runId: first!.by.runId! };
}

/** How the gates of a subject ended, in order of their names. */
function endsOf(world: ActionWorld, subject: string): EndedRecord[] {
  const ended = world.records().filter((record): record is EndedRecord => record.kind === 'ended');
  return ended.filter((record) => record.subject === subject).toSorted((a, b) => (a.gate < b.gate ? -1 : 1));
}

describe('a pull request', () => {
  it('reuses what main made, and says where it comes from', async () => {
    const { world, base, runId } = await withMain();
    await using _ = world;
    const caches = world.service.world.caches.length;
    const report = await (await world.run(await pullRequest(world, base))).start().ended;
    expect(redJobs(report)).toEqual([]);
    expect(await world.startedGates()).toEqual([]);
    const source = { runNumber: 1, runAttempt: 1, n: 1, subject: 'main', runId, at: expect.any(String) as string };
    expect(endsOf(world, `pr-${PULL}`)).toMatchObject([
      { gate: 'one', how: 'reused', source },
      { gate: 'two', how: 'reused', source },
    ]);
    expect(outputsOf(report.job('two'))).toMatchObject({
      decision: 'reuse',
      reason: expect.stringMatching(/attempt 1 in run 1 of another subject\.$/) as string,
      'reused-from': '1.1.1',
    });
    // What was reused is in the cache already.
    expect(world.service.world.caches).toHaveLength(caches);
    expect(
      report
        .job('report')
        .steps.map(({ summary }) => summary)
        .join(''),
    ).toContain('attempt 1 (run 1) of `main`');
  });

  it.runIf(IS_FULL)('runs what it changed, and only that; its next run reuses its own', async () => {
    const { world, base } = await withMain();
    await using _ = world;
    await world.repository.write('two.txt', 'other\n');
    await world.repository.commitAll('another input');
    expect(redJobs(await (await world.run(await pullRequest(world, base))).start().ended)).toEqual([]);
    expect(await world.startedGates()).toEqual(['two']);
    await (await world.run(await pullRequest(world, base))).start().ended;
    expect(await world.startedGates()).toEqual([]);
    // Main's scope has nothing of it.
    expect(redJobs(await (await world.run()).start().ended)).toEqual([]);
    expect(await world.startedGates()).toEqual(['two']);
  });

  it('takes the outputs of the run of main that it resumes, when the cache has none, and saves none of them', async () => {
    const { world, base, runId } = await withMain();
    await using _ = world;
    world.service.evictCaches();
    const resumed = await pullRequest(world, base, { inputs: { resume: runId } });
    const report = await (await world.run(resumed)).start().ended;
    expect(redJobs(report)).toEqual([]);
    expect(await world.startedGates()).toEqual([]);
    expect(endsOf(world, `pr-${PULL}`)).toMatchObject([
      { source: { subject: 'main', runId } },
      { source: { subject: 'main' } },
    ]);
    expect(world.service.world.caches).toEqual([]);
  });

  it.runIf(IS_FULL)('has records that no run of another ref may resume', async () => {
    const { world, base } = await withMain();
    await using _ = world;
    const own = await world.run(await pullRequest(world, base));
    await own.start().ended;
    const runId = endsOf(world, `pr-${PULL}`)[0]!.by.runId!;
    const report = await (await world.run({ about: { event: 'workflow_dispatch' }, inputs: { resume: runId } })).start()
      .ended;
    expect(errorsOf(report.job('one'))).toEqual([expect.stringContaining('EARLIER_RUN_REF')]);
    expect(await world.startedGates()).toEqual([]);
  });
});

describe('a branch', () => {
  it('reuses what main made', async () => {
    const { world } = await withMain();
    await using _ = world;
    const about = { event: 'push', headBranch: 'topic' };
    expect(redJobs(await (await world.run({ about })).start().ended)).toEqual([]);
    expect(await world.startedGates()).toEqual([]);
    expect(endsOf(world, 'topic')).toMatchObject([{ how: 'reused' }, { how: 'reused' }]);
  });
});
