import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { subjectGraph } from '../../../src/pipeline/subjects/subject-set.ts';
import { nextTask, tasksOf, type Task, type TaskRun } from '../../../src/run/subjects/tasks.ts';
import { drawn } from '../../support/samples.ts';

const LIMITS = { maxFailures: 2, maxFixes: 1 };
const subjects = subjectGraph([
  { id: 'a', needs: [], metadata: {} },
  { id: 'b', needs: ['a'], metadata: {} },
]);

/** Runs of tasks by their results, oldest first. */
function tasksAfter(runs: Readonly<Record<string, readonly TaskRun['status'][]>>, limits = LIMITS): Task[] {
  const of = (id: string): TaskRun[] =>
    (runs[id] ?? []).map((status, index) => ({ runNumber: index + 1, status, reason: `${status} ${index + 1}` }));
  return tasksOf(subjects, of, limits);
}

const statuses = (tasks: readonly Task[]): string[] => tasks.map(({ id, status }) => `${id} ${status}`);

describe('the tasks of a set', () => {
  it.each([
    [{}, ['a pending', 'b pending'], 'a'],
    [{ a: ['running'] }, ['a in-progress', 'b pending'], 'a'],
    [{ a: ['completed'] }, ['a done', 'b pending'], 'b'],
    [{ a: ['paused'] }, ['a review', 'b pending'], undefined],
    [{ a: ['closed'] }, ['a cancelled', 'b pending'], undefined],
    [{ a: ['failed', 'completed'] }, ['a done', 'b pending'], 'b'],
    [{ a: ['completed', 'rolled-back'] }, ['a pending', 'b pending'], 'a'],
    [{ a: ['failed'] }, ['a pending', 'b pending'], 'a'],
    [{ a: ['failed', 'failed'] }, ['a-fix-1 pending', 'a pending', 'b pending'], 'a-fix-1'],
    [{ a: ['failed', 'failed'], 'a-fix-1': ['completed'] }, ['a-fix-1 done', 'a pending', 'b pending'], 'a'],
    [
      { a: ['failed', 'failed'], 'a-fix-1': ['failed', 'failed'] },
      ['a-fix-1 failed', 'a failed', 'b pending'],
      undefined,
    ],
    [{ a: ['failed', 'failed'], 'a-fix-1': ['closed'] }, ['a-fix-1 cancelled', 'a failed', 'b pending'], undefined],
    [
      { a: ['failed', 'failed', 'failed', 'failed'], 'a-fix-1': ['completed'] },
      ['a-fix-1 done', 'a failed', 'b pending'],
      undefined,
    ],
  ] as const)('after %j', (runs, expected, next) => {
    const tasks = tasksAfter(runs);
    expect(statuses(tasks)).toEqual(expected);
    const found = nextTask(tasks);
    expect(found.choice === 'run' ? found.task.id : undefined).toBe(next);
  });

  it('have a fix task with the reason of the run that asked for it', () => {
    const [fix] = tasksAfter({ a: ['failed', 'failed', 'failed'], 'a-fix-1': ['completed'] });
    expect(fix).toMatchObject({ fixes: 'a', task: 'Fix what keeps a from passing: failed 2', needs: [] });
  });

  it('end: whatever runs come to, no task runs more often than its limits allow', () => {
    const limits = fc.record({ maxFailures: fc.integer({ min: 1, max: 3 }), maxFixes: fc.integer({ min: 0, max: 3 }) });
    const results = fc.infiniteStream(
      fc.constantFrom<TaskRun['status']>('completed', 'failed', 'failed', 'closed', 'running'),
    );
    fc.assert(
      fc.property(limits, results, (each, stream) => {
        const runs: Record<string, TaskRun['status'][]> = {};
        const most = 2 * (each.maxFixes + 1) * each.maxFailures * (1 + each.maxFixes);
        let steps = 0;
        for (
          let next = nextTask(tasksAfter(runs, each));
          next.choice === 'run';
          next = nextTask(tasksAfter(runs, each))
        ) {
          const own = (runs[next.task.id] ??= []);
          // A run that was interrupted is continued.
          if (own.at(-1) === 'running') own.pop();
          own.push(stream.next().value);
          if (own.at(-1) !== 'running') steps += 1;
          expect(steps).toBeLessThanOrEqual(most);
        }
        for (const { failures } of tasksAfter(runs, each))
          expect(failures).toBeLessThanOrEqual(each.maxFailures * (each.maxFixes + 1));
      }),
      drawn(500),
    );
  });
});
