import { describe, expect, it } from 'vitest';
import { processesOf } from '../../../src/action/event/job-identity.ts';
import type { WorkflowEvent } from '../../../src/action/event/event.ts';
import { processIdentity } from '../../../src/store/filesystem/lock/process-identity.ts';

const event = (more: Partial<WorkflowEvent> = {}): WorkflowEvent =>
  ({ repository: 'o/r', runId: '7', runAttempt: 1, job: 'a', ...more }) as WorkflowEvent;

describe('processes that a job left', () => {
  it('run in that job only, although they are on the same machine', async () => {
    const { pid, pidStart } = await processIdentity();
    const own = await processesOf(event());
    const left = { ...own.place, pid, pidStart };
    expect(await own.isRunning(left)).toBe(true);
    expect(await own.isRunning({ ...left, pidStart: '1' })).toBe(false);
    expect(await own.isRunning({ ...left, pidStart: '' })).toBe(pidStart === '');
    for (const other of [{ job: 'b' }, { runAttempt: 2 }, { runId: '8' }, { repository: 'o/s' }])
      expect(await (await processesOf(event(other))).isRunning(left)).toBe(false);
  });
});
