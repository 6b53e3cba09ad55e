import { expect, it } from 'vitest';
import { completedTasks, foldTasks } from '../../src/run/tasks.ts';
import { createVerdict, LogBuilder } from '../support/log-builder.ts';
import { createPipeline } from '../support/pipelines.ts';

const chain = createPipeline([
  { id: 'plan' },
  { id: 'code', needs: ['plan'] },
  { id: 'review', needs: ['code'], contract: { score: '/score', partial: 'pause' } },
]);
const ALL = 'plan+ code+ review+ complete';

/** The log of a subject: a run in each part, those of `fix` for the task that repairs it. */
function logOf(runs: string, subject = 'a'): LogBuilder {
  const log = new LogBuilder();
  log.subject = subject;
  for (const run of runs.split(' / ')) {
    const task = run.startsWith('fix ') ? `fix-${subject}-1: make ${subject} pass. x` : 'Do it';
    log.play(run.replace('fix ', ''), { started: { task } });
  }
  return log;
}

const subjectOf = (id: string, needs: readonly string[] = []) => ({
  id,
  task: 'Do it',
  metadata: {},
  input: undefined,
  needs,
});
const setOf = (...subjects: ReturnType<typeof subjectOf>[]) => ({
  subjects,
  maxParallel: 1,
  retries: 1,
  deliver: undefined,
});
const REPAIR = 'fix-a-1: make a pass. plan: check: . The task: Do it';

it.each<[string, string, string, object?]>([
  ['pause', 'pending', 'it has not run yet', { id: 'a', task: 'Do it', isRetry: false }],
  ['plan+', 'in-progress', 'its run continues', { id: 'a', isRetry: false }],
  ['plan? plan!', 'in-progress', 'its run continues', { id: 'a' }],
  ['plan-', 'in-progress', 'plan: check: ', { id: 'fix-a-1', task: REPAIR, isRetry: false }],
  ['plan- close', 'in-progress', 'plan: check: ', { id: 'fix-a-1', task: REPAIR }],
  ['plan+ close', 'in-progress', 'its run was closed', { id: 'fix-a-1' }],
  ['plan- pause', 'paused', 'octocat holds it: looks fine'],
  ['plan+ code+ rollback', 'paused', 'octocat holds it: looks fine'],
  ['plan+ code+ review~', 'paused', 'review waits for a person'],
  [ALL, 'completed', 'all gates are done'],
  ['plan- close / fix plan+', 'in-progress', 'its run continues', { id: 'fix-a-1', task: 'fix-a-1: make a pass. x' }],
  [`plan- close / fix ${ALL}`, 'in-progress', 'its repair is done', { id: 'a', isRetry: true }],
  ['plan- close / fix plan-', 'in-progress', 'its repair failed: plan: check: ', { id: 'a', isRetry: true }],
  [`plan- close / fix ${ALL} / plan- close`, 'failed', 'plan: check: '],
  [`plan- close / fix ${ALL} / ${ALL}`, 'completed', 'all gates are done'],
])('a task after %s is %s: %s', (runs, status, reason, next) => {
  const [task] = foldTasks(setOf(subjectOf('a')), chain, logOf(runs).entries);
  expect(task).toMatchObject({ id: 'a', task: 'Do it', status, reason });
  if (next) expect(task!.next).toMatchObject(next);
  else expect(task).not.toHaveProperty('next.id');
});

it('a task says what its newest run completed, how often it ran, and whether its open run has failed', () => {
  const stateOf = (runs: string) => foldTasks(setOf(subjectOf('a')), chain, logOf(runs).entries)[0]!;
  expect(stateOf(ALL)).toMatchObject({ done: { id: 'a' }, runs: 1, retries: 0 });
  expect(stateOf(`plan- close / fix ${ALL}`)).toMatchObject({ done: { id: 'fix-a-1' }, runs: 2, retries: 0 });
  expect(stateOf(`plan- close / fix ${ALL} / plan-`)).toMatchObject({ runs: 3, retries: 1, hasFailedRun: true });
  expect(stateOf('plan- close')).toMatchObject({ hasFailedRun: false });
  expect(stateOf('plan+')).toMatchObject({ hasFailedRun: false });
});

it('a gate that was interrupted, or is paused, has not failed', () => {
  const log = logOf('plan?');
  log.end('plan', { verdict: createVerdict('failed', { kind: 'cancelled' }) });
  expect(foldTasks(setOf(subjectOf('a')), chain, log.entries)[0]).toMatchObject({ reason: 'its run continues' });
});

it('a task waits for those that it needs', () => {
  const set = setOf(subjectOf('a'), subjectOf('b', ['a']), subjectOf('c', ['b']));
  const reasonsAfter = (runs: string, limit = 1) =>
    foldTasks({ ...set, retries: limit }, chain, logOf(runs).entries).map(
      ({ status, reason }) => `${status} ${reason}`,
    );
  expect(reasonsAfter('plan+').slice(1)).toEqual(['blocked a comes first', 'blocked b comes first']);
  expect(reasonsAfter('plan-', 0).slice(1)).toEqual(['blocked a failed', 'blocked b comes first']);
  expect(reasonsAfter(ALL).slice(1)).toEqual(['pending it has not run yet', 'blocked b comes first']);
  expect(foldTasks(set, chain, logOf('plan+').entries)[1]!.next).toBeUndefined();
});

it('tasks that were completed are listed once, the newest last, without repairs and what was taken back', () => {
  const [a, b] = [logOf(`${ALL} / plan+ code+ review+ complete`), logOf(`plan- close / fix ${ALL}`, 'b')];
  const [c, d] = [logOf(`${ALL} / plan+ rollback`, 'c'), logOf(ALL, 'd')];
  const other = d.entries.map((entry) => ({ ...entry, pipeline: 'other', subject: 'e' }));
  const entries = [a, d, b, c].flatMap((log) => log.entries).concat(other, logOf(ALL).entries);
  expect(completedTasks(entries, 'main')).toEqual([
    { subject: 'd', task: 'Do it' },
    { subject: 'a', task: 'Do it' },
  ]);
  expect(foldTasks(setOf(subjectOf('e')), chain, entries)[0]!.status).toBe('pending');
});
