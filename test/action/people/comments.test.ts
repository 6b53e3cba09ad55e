import { describe, expect, it } from 'vitest';
import { agent, logsOf, troubles, useGithub, worked } from '../stories/support.ts';
import { approvalIn, peopleFiles, say } from './support.ts';

const GATES = {
  plan: { run: agent('{"plan": 1}', 'echo 1 > plan.txt'), files: ['plan.txt'], approval: 'required', inputs: [] },
  build: {
    needs: ['plan'],
    run: agent('{"score": 60, "try": "$GITHUB_RUN_ATTEMPT"}'),
    inputs: [],
    output: { score: '/score', threshold: 80, partial: 'pause' },
  },
};

describe('a pull request', () => {
  // Of the two ways in which a job sees artifacts the one that shows less; a chain of gates passes both.
  const world = useGithub({ mode: 'attempt' });

  it('is led by comments: approve, reject, retry, status', async () => {
    const users = [{ login: 'reader', permission: 'read' } as const];
    const repository = await world.create({ files: peopleFiles(GATES, { comment: true }), users });
    const first = await repository.pullRequest({ branch: 'feature', files: { 'a.txt': 'a' } });
    expect([worked(first), troubles(first)]).toEqual([['plan'], ['build skipped', 'plan failure', 'report failure']]);
    expect(first.job('plan').summary).toContain('Nothing is broken');
    const { body } = repository.data.comments.at(-1)!;
    // GitHub skips what comes after a gate that is not done.
    expect(body).not.toContain('was skipped');
    const line = approvalIn(body);
    expect(line).toMatch(/^\/gateline approve plan [0-9a-f]{32}$/);
    expect(approvalIn(first.job('plan').summary)).toBe(line);

    const wrong = line.replace(/.{8}$/, '00000000');
    const answer = await say(repository, wrong);
    expect([answer, approvalIn(answer)]).toEqual([expect.stringContaining('another output than the newest'), line]);
    expect(await say(repository, '/gateline aprove plan')).toContain('as the report prints it');
    expect(await say(repository, 'How nice!\n/gateline retry')).toBe('');
    expect(await say(repository, line, { author: 'reader' })).toBe('');
    expect(await say(repository, '/gateline status')).toMatch(/^- \[run 1\]\(.*\): failure$/);
    const stored = repository.data.runs.find(({ id }) => id === first.id)!;
    const end = stored.attempts.at(-1)!;
    stored.attempts.splice(-1, 1, { ...end, status: 'in_progress', conclusion: null });
    expect(await say(repository, line)).toMatch(
      /^Approved .* \[run 1\]\(.*\) still works: post `\/gateline retry` when/,
    );
    stored.attempts.splice(-1, 1, end);
    expect(repository.data.orders).toEqual([]);

    expect(await say(repository, `${line} looks good`)).toMatch(/^Approved by `octocat`: `plan`. The failed jobs of/);
    const [approved] = await repository.runOrders();
    expect([worked(approved!), troubles(approved!)]).toEqual([['build'], ['build failure', 'report failure']]);
    expect(approved!.job('report').summary).toMatch(/octocat.*looks good|looks good.*octocat/s);
    const old = approvalIn(approved!.job('build').summary);

    expect(await say(repository, `${old.replace('approve', 'reject')} too slow`)).toMatch(/^Rejected by/);
    const [rejected] = await repository.runOrders();
    expect([rejected!.started, worked(rejected!)], logsOf(rejected!)).toEqual([['build', 'report'], ['build']]);
    const line3 = approvalIn(rejected!.job('build').summary);
    expect(line3).not.toBe(old);
    // The gate has two outputs now: the newest one counts.
    expect(approvalIn(await say(repository, old))).toBe(line3);
    expect(await say(repository, '/gateline retry')).toMatch(/^The failed jobs of \[run 1\]/);
    repository.data.orders.splice(0);
    expect(await say(repository, line3)).toMatch(/^Approved by/);
    const [last] = await repository.runOrders();
    expect([worked(last!), troubles(last!)], logsOf(last!)).toEqual([[], []]);
    expect(await say(repository, '/gateline retry')).toContain('nothing was run again');
    // A new commit that changes nothing that the gates read: what people said holds.
    const next = await repository.pullRequest({ branch: 'feature', files: { 'a.txt': 'b' } });
    expect([worked(next), troubles(next)], logsOf(next)).toEqual([[], []]);
  });
});

describe('a comment', () => {
  const world = useGithub();

  it('is answered for an output that waits for nobody, and for one that was approved', async () => {
    const gates = { free: { run: agent('{}'), inputs: [] }, plan: GATES.plan };
    const repository = await world.create({ files: peopleFiles(gates) });
    const first = await repository.pullRequest({ branch: 'feature', files: { 'a.txt': 'a' } });
    const line = approvalIn(first.job('plan').summary);
    expect(await say(repository, line.replace('approve plan', 'reject free'))).toMatch(
      /^Nothing was done: the output of `free` waits for nobody \(passed\)/,
    );
    expect(await say(repository, line)).toMatch(/^Approved by/);
    const [approved] = await repository.runOrders();
    expect(troubles(approved!), logsOf(approved!)).toEqual([]);
    expect(await say(repository, line.replace('approve', 'reject'))).toMatch(
      /^Rejected by `octocat`: `plan`. Its approval does not count any more: its agent works again in the next run. No run/,
    );
    const next = await repository.pullRequest({ branch: 'feature', files: { 'a.txt': 'b' } });
    expect([worked(next), next.job('plan').conclusion], logsOf(next)).toEqual([['plan'], 'failure']);
  });

  it('that a later job may not read approves nothing there, and the job names the missing permission', async () => {
    const permissions = { contents: 'read' };
    const gates = { ...GATES, build: { needs: ['plan'], run: agent('{}'), inputs: [] } };
    const repository = await world.create({ files: peopleFiles(gates, { jobs: { build: { permissions } } }) });
    const first = await repository.pullRequest({ branch: 'feature', files: { 'a.txt': 'a' } });
    await say(repository, approvalIn(first.job('plan').summary));
    const again = await first.rerun('failed');
    expect([worked(again), troubles(again)]).toEqual([[], ['build failure', 'report failure']]);
    // Artifacts come first.
    expect(again.job('build').log).toContain('permissions:%0A  contents: read%0A  actions: read');
    const jobs = { build: { permissions: { ...permissions, actions: 'read' } } };
    const files = peopleFiles(gates, { jobs });
    const next = await repository.pullRequest({ branch: 'feature', files });
    expect([worked(next), troubles(next)]).toEqual([[], ['build failure', 'report failure']]);
    expect(next.job('build').log).toMatch(/decision about plan does not count: .*%0A {2}pull-requests: read/);
  });
});
