import { describe, expect, it } from 'vitest';
import { agent, logsOf, pipelineFiles, troubles, useGithub, worked } from './support.ts';

/** The agent of `slow` works until it is ended, in the first run attempt. */
const slow = {
  needs: ['fast'],
  run: agent('{"n": 2}', 'if [ "$GITHUB_RUN_ATTEMPT" = 1 ]; then echo begun; sleep 600; fi'),
  inputs: [],
};
const GATES = {
  fast: { run: agent('{"n": 1}'), inputs: [] },
  slow,
  last: { needs: ['slow'], run: agent('{"n": 3}'), inputs: [] },
};

describe.each([
  ['lost machine', 'run'],
  ['cancel', 'attempt'],
  ['timeout', 'run'],
] as const)('a run that stops in a gate by %s, where a job sees artifacts of its %s', (cause, mode) => {
  const world = useGithub({ mode });

  it('does only the missing steps in its next attempt', async () => {
    const gates = { ...GATES, slow: { ...slow, ...(cause === 'timeout' && { 'timeout-minutes': 0.01 }) } };
    const cancelTimes = { interrupt: 30_000, terminate: 5_000 };
    // Ctrl-C reaches a process that has done nothing else.
    const options = { cancelTimes, processes: cause === 'cancel' ? 'own' : 'shared' } as const;
    const repository = await world.create({ files: pipelineFiles(gates), ...options });
    const running = await repository.start('push');
    const job = await running.job('slow');
    await job.logged(/\| begun$/);
    if (cause === 'cancel') await running.cancel();
    if (cause === 'lost machine') await job.lose();
    const run = await running.completed;
    expect(run.job('fast').conclusion).toBe('success');
    expect(run.job('slow').conclusion).toBe(cause === 'cancel' ? 'cancelled' : 'failure');
    // The report works after a cancellation too.
    const { summary, conclusion } = run.job('report');
    const reasons = {
      'lost machine': 'no result (job slow: failure)',
      cancel: 'cancelled: the call was interrupted',
      timeout: 'the agent worked longer than 0.01 minutes',
    };
    expect(summary).toContain(reasons[cause]);
    expect(conclusion).toBe('failure');
    const again = await run.rerun('failed');
    expect([worked(again), troubles(again)], logsOf(again)).toEqual([['last', 'slow'], []]);
    expect(again.started).toEqual(['slow', 'last', 'report']);
  });
});
