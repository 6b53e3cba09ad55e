import { randomUUID } from 'node:crypto';
import { evaluateText } from './expressions.ts';
import { jobContexts, stepContexts, type Conclusion, type JobOrder, type JobReport, type Session } from './session.ts';
import { killTracked, RUNNER_CANCEL_TIMES } from './step-process.ts';
import { runPost, runStep } from './step.ts';
import type { StepDefinition } from './workflow-file.ts';

/** A job that was started. */
export interface RunningJob {
  readonly ended: Promise<JobReport>;
  /** As "Cancel workflow" does: the running step is asked, told and killed, and only steps that want it still run. */
  cancel(): Promise<void>;
  /** As when its machine is gone: everything that it started is killed at once, and nothing of it runs any more. */
  lose(): Promise<void>;
  /** Settles when a line of its log fits. Rejects when the job ends without one. */
  logged(pattern: RegExp): Promise<string>;
}

/**
 * Runs a job as actions/runner does, each step in a process of its own, on a fresh directory: mains in order, then the
 * posts of actions in reverse. What a step tells in its files and log counts for the next. On Windows nothing of this
 * works: signals and bash are needed.
 */
export function startJob(order: JobOrder): RunningJob {
  const lines: string[] = [];
  const waiters = new Set<(line: string) => void>();
  const onLine = (line: string) => {
    lines.push(line);
    order.onLine?.(line);
    for (const waiter of waiters) waiter(line);
  };
  const prepared = prepare(order, onLine);
  const ended = prepared.then((session) => runJob(session));
  ended.catch(() => undefined);
  return {
    ended,
    cancel: async () => cancel(await prepared),
    lose: async () => lose(await prepared),
    logged: (pattern) =>
      new Promise((resolve, reject) => {
        const waiter = (line: string) => {
          if (!pattern.test(line)) return;
          waiters.delete(waiter);
          resolve(line);
        };
        waiters.add(waiter);
        lines.forEach(waiter);
        const never = () => reject(new Error(`the job ended and logged nothing like ${pattern}:\n${lines.join('\n')}`));
        ended.then(never, reject);
      }),
  };
}

async function prepare(order: JobOrder, onLine: (line: string) => void): Promise<Session> {
  const environment = await order.service.environmentFor(order.options);
  const secrets = Object.values(order.secrets ?? {}).filter((value) => value !== '');
  const session: Session = {
    order,
    environment,
    masks: new Set([...secrets, environment.token, environment.env['ACTIONS_RUNTIME_TOKEN']!]),
    trackingId: `github_${randomUUID()}`,
    onLine,
    status: 'success',
    isLost: false,
    env: {},
    path: [],
    steps: {},
    posts: [],
    reports: [],
    running: undefined,
  };
  for (const env of [order.workflow?.env ?? {}, order.definition.env]) {
    const contexts = { ...jobContexts(session), env: { ...session.env } };
    for (const [name, value] of Object.entries(env)) session.env[name] = evaluateText(value, contexts);
  }
  return session;
}

async function runJob(session: Session): Promise<JobReport> {
  const { order, environment } = session;
  try {
    const names = stepNames(order.definition.steps);
    for (const [index, definition] of order.definition.steps.entries()) {
      if (!session.isLost) await runStep(session, definition, names[index]!);
    }
    for (let post = session.posts.pop(); post !== undefined && !session.isLost; post = session.posts.pop()) {
      await runPost(session, post);
    }
    await killTracked(session.trackingId);
    const report = reportOf(session);
    const { conclusion } = report;
    Object.assign(environment.job, { status: 'completed', conclusion, completedAt: order.service.world.now() });
    await order.inspect?.(environment, report);
    return report;
  } finally {
    session.running?.process.kill();
    await killTracked(session.trackingId);
    await environment[Symbol.asyncDispose]();
  }
}

/** `id:`, else what the runner calls a step that has none: `__run`, `__run_2`, `__self`, `__octo_gate`. */
function stepNames(steps: readonly StepDefinition[]): string[] {
  const taken = new Map<string, number>();
  return steps.map(({ id, uses }) => {
    if (id !== undefined) return id;
    const [action = ''] = (uses ?? '').split('@');
    const plain =
      uses === undefined ? '__run' : /^[.$]\//.test(uses) ? '__self' : `__${action.replaceAll(/[^\w-]/g, '_')}`;
    const count = (taken.get(plain) ?? 0) + 1;
    taken.set(plain, count);
    return count === 1 ? plain : `${plain}_${count}`;
  });
}

function reportOf(session: Session): JobReport {
  const { order, reports, isLost, status } = session;
  const { job: id, name = id, attempt = 1 } = order.options;
  const conclusion: Conclusion = isLost ? 'failure' : status;
  return {
    id,
    name,
    attempt,
    conclusion,
    lost: isLost,
    outputs: isLost ? {} : outputsOf(session),
    steps: [...reports],
    summary: reports.map(({ summary }) => summary).join(''),
    annotations: reports.flatMap(({ annotations }) => annotations),
    log: reports.flatMap(({ log }) => log),
  };
}

/** `outputs:` of the job. What holds a secret is left out, as the runner leaves it out. */
function outputsOf(session: Session): Record<string, string> {
  const contexts = stepContexts(session, session.env);
  const values = Object.entries(session.order.definition.outputs).map(
    ([name, value]) => [name, evaluateText(value, contexts)] as const,
  );
  return Object.fromEntries(values.filter(([, value]) => ![...session.masks].some((mask) => value.includes(mask))));
}

async function cancel(session: Session): Promise<void> {
  if (session.isLost) return;
  session.status = 'cancelled';
  const { running } = session;
  if (running === undefined || running.outlivesCancel()) return;
  await running.process.cancel(session.order.cancelTimes ?? RUNNER_CANCEL_TIMES);
}

async function lose(session: Session): Promise<void> {
  session.isLost = true;
  session.running?.process.kill();
  await killTracked(session.trackingId);
}
