import { preparePost, prepareAction, prepareScript, type PostStep, type StepScope, type Work } from './action.ts';
import { StepLog, masked, parseFileCommand, type Annotation } from './commands.ts';
import { createCommandFiles, readCommandFile } from './environment.ts';
import { evaluateCondition, evaluateText, evaluateValue } from './expressions.ts';
import type { Conclusion } from '../github/model.ts';
import type { Job } from './job.ts';
import { startProcess } from './process.ts';
import type { StepDefinition } from './workflow.ts';

export interface StepReport {
  /** `id:`, else the runner's name: `__run`, `__self_2`. */
  readonly id: string;
  readonly stage: 'main' | 'post';
  /** Before `continue-on-error`. */
  readonly outcome: Conclusion;
  readonly conclusion: Conclusion;
  /** Null if no process ran or a signal ended it. */
  readonly code: number | null;
  readonly outputs: Readonly<Record<string, string>>;
  readonly state: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly annotations: readonly Annotation[];
  /** As the log shows it, secrets masked. */
  readonly log: string;
}

/** Bytes of a step's summary; the runner drops a longer one as a whole. */
const MAX_SUMMARY = 1024 * 1024;

export async function runStep(job: Job, definition: StepDefinition, id: string): Promise<void> {
  const { outcome, conclusion, outputs } = await trackStep(
    job,
    { id, definition, stage: 'main' },
    async (scope, log) => {
      if (definition.run !== undefined) return prepareScript(job, definition, scope);
      const { work, warnings = [], post } = await prepareAction(job, definition, scope);
      for (const warning of warnings) log.read(`::warning::${warning}`);
      if (post !== undefined) job.posts.push(post);
      return work;
    },
  );
  if (definition.id !== undefined) job.steps[definition.id] = { outcome, conclusion, outputs: { ...outputs } };
}

export async function runPost(job: Job, post: PostStep): Promise<void> {
  const definition = {
    ...post.definition,
    if: post.condition,
    'continue-on-error': false,
    'timeout-minutes': undefined,
  };
  await trackStep(job, { id: post.id, definition, stage: 'post' }, (scope) => preparePost(job, post, scope));
}

async function trackStep(
  job: Job,
  step: { readonly id: string; readonly definition: StepDefinition; readonly stage: 'main' | 'post' },
  prepare: (scope: StepScope, log: StepLog) => Promise<Work>,
): Promise<StepReport> {
  const { id, definition, stage } = step;
  const log = new StepLog(job.masks, job.onLine);
  const files = await createCommandFiles(job.machine);
  const postCount = job.posts.length;
  let end: StepEnd = { outcome: 'failure', code: null, outputs: {} };
  let values = { outputs: {}, state: {}, summary: '' };
  try {
    const env = { ...job.env };
    for (const [name, value] of Object.entries(definition.env)) env[name] = evaluateText(value, job.contexts(job.env));
    const isDue = (): boolean => evaluateCondition(definition.if, job.answers(), job.contexts(env));
    if (isDue()) {
      const work = await prepare({ id, env, files, contexts: job.contexts(env) }, log);
      end = await execute(job, definition, work, log, isDue);
      if (!job.isLost) values = await readFiles(job, files, log);
    } else end = { outcome: 'skipped', code: null, outputs: {} };
  } catch (error) {
    log.fail((error as Error).message);
    end = { ...end, outcome: 'failure' };
  }
  if (job.posts.length > postCount) Object.assign(job.posts.at(-1)!.state, values.state);
  const { outcome, code } = end;
  const report: StepReport = {
    ...{ id, stage, outcome, code },
    conclusion: outcome === 'failure' && mayFail(job, definition) ? 'success' : outcome,
    ...values,
    outputs: { ...values.outputs, ...end.outputs },
    annotations: log.annotations,
    log: log.lines.join('\n'),
  };
  job.reports.push(report);
  if (report.conclusion === 'failure' && job.status === 'success') job.status = 'failure';
  return report;
}

interface StepEnd {
  readonly outcome: Conclusion;
  readonly code: number | null;
  /** Of a function. */
  readonly outputs: Readonly<Record<string, string>>;
}

function mayFail(job: Job, definition: StepDefinition): boolean {
  return String(evaluateValue(definition['continue-on-error'], job.contexts(job.env))) === 'true';
}

async function execute(
  job: Job,
  definition: StepDefinition,
  work: Work,
  log: StepLog,
  isDue: () => boolean,
): Promise<StepEnd> {
  if (job.isLost) return { outcome: 'cancelled', code: null, outputs: {} };
  if ('run' in work) return { outcome: 'success', code: null, outputs: (await work.run()) ?? {} };
  const child = startProcess(work.command, (line) => log.read(line));
  job.running = { process: child, outlivesCancel: isDue };
  const minutes = definition['timeout-minutes'];
  let isLate = false;
  const timer = job.afterMinutes(minutes, () => {
    isLate = true;
    log.fail(`The action '${definition.name ?? definition.uses ?? 'run'}' has timed out after ${minutes} minutes.`);
    void child.cancel(job.cancelTimes);
  });
  const code = await child.ended;
  clearTimeout(timer);
  job.running = undefined;
  if (isLate) return { outcome: 'failure', code, outputs: {} };
  if (child.isCancelled || job.isLost) return { outcome: 'cancelled', code, outputs: {} };
  if (code !== 0 && work.isScript) log.fail(`Process completed with exit code ${code ?? 1}.`);
  return { outcome: code === 0 ? 'success' : 'failure', code, outputs: {} };
}

async function readFiles(
  job: Job,
  files: Readonly<
    Record<'GITHUB_OUTPUT' | 'GITHUB_STATE' | 'GITHUB_STEP_SUMMARY' | 'GITHUB_ENV' | 'GITHUB_PATH', string>
  >,
  log: StepLog,
): Promise<{ outputs: Record<string, string>; state: Record<string, string>; summary: string }> {
  for (const [name, value] of Object.entries(parseFileCommand(await readCommandFile(files.GITHUB_ENV)))) {
    if (name.toUpperCase() === 'NODE_OPTIONS')
      log.fail(`Can't store ${name} output parameter using '$GITHUB_ENV' command.`);
    else job.env[name] = value;
  }
  const paths = (await readCommandFile(files.GITHUB_PATH)).split('\n').filter((line) => line !== '');
  job.path.unshift(...paths.toReversed());
  const summary = masked(await readCommandFile(files.GITHUB_STEP_SUMMARY), job.masks);
  const size = Buffer.byteLength(summary);
  if (size > MAX_SUMMARY)
    log.fail(
      `$GITHUB_STEP_SUMMARY upload aborted, supports content up to a size of 1024k, got ${Math.ceil(size / 1024)}k.`,
    );
  return {
    outputs: parseFileCommand(await readCommandFile(files.GITHUB_OUTPUT)),
    state: parseFileCommand(await readCommandFile(files.GITHUB_STATE)),
    summary: size > MAX_SUMMARY ? '' : summary,
  };
}
