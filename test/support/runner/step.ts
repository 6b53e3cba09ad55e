import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Conclusion } from '../github/model.ts';
import { preparePost, prepareStep, type PostStep, type StepScope, type Work } from './action.ts';
import { StepLog, masked, parseFileCommand, type Annotation } from './commands.ts';
import { evaluateCondition, evaluateText, evaluateValue } from './expressions.ts';
import { startHostedStep } from './hosts.ts';
import type { Job } from './job.ts';
import { startProcess } from './process.ts';
import type { StepDefinition } from './workflow.ts';

export interface StepReport {
  /** `id:`, else `__<index>`. */
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

export async function runStep(job: Job, definition: StepDefinition, id: string): Promise<void> {
  let post: PostStep | undefined;
  const report = await trackStep(job, { id, definition, stage: 'main' }, async (scope, log) => {
    const step = await prepareStep(job, definition, scope);
    for (const warning of step.warnings ?? []) log.read(`::warning::${warning}`);
    if (step.post !== undefined) job.posts.push((post = step.post));
    return step.work;
  });
  const { outcome, conclusion, outputs, state } = report;
  Object.assign(post?.state ?? {}, state);
  if (definition.id !== undefined) job.steps[id] = { outcome, conclusion, outputs: { ...outputs } };
}

export async function runPost(job: Job, post: PostStep): Promise<void> {
  const definition: StepDefinition = { ...post.definition, if: post.condition, 'continue-on-error': false };
  await trackStep(job, { id: post.id, definition, stage: 'post' }, (scope) => preparePost(job, post, scope));
}

type StepEnd = Pick<StepReport, 'outcome' | 'code' | 'outputs'>;
type Prepare = (scope: StepScope, log: StepLog) => Promise<Work>;
type StepIdentity = Pick<StepReport, 'id' | 'stage'> & { readonly definition: StepDefinition };

async function trackStep(job: Job, { id, definition, stage }: StepIdentity, prepare: Prepare): Promise<StepReport> {
  const log = new StepLog(job.masks, job.onLine);
  const files = await createCommandFiles(job.machine.temp);
  let end: StepEnd = { outcome: 'skipped', code: null, outputs: {} };
  let values: Pick<StepReport, 'outputs' | 'state' | 'summary'> = { outputs: {}, state: {}, summary: '' };
  try {
    const env = { ...job.env };
    for (const [name, value] of Object.entries(definition.env)) env[name] = evaluateText(value, job.contexts(job.env));
    const isDue = (): boolean => evaluateCondition(definition.if, job.answers(), job.contexts(env));
    if (isDue()) {
      const work = await prepare({ id, env, files, contexts: job.contexts(env) }, log);
      end = await execute(job, definition, work, log, isDue);
      if (!job.isLost) values = await readFiles(job, files, log);
    }
  } catch (error) {
    log.fail((error as Error).message);
    end = { ...end, outcome: 'failure' };
  }
  const mayFail = String(evaluateValue(definition['continue-on-error'], job.contexts(job.env))) === 'true';
  const report: StepReport = {
    ...{ id, stage, ...values, ...end, outputs: { ...values.outputs, ...end.outputs } },
    ...{ conclusion: end.outcome === 'failure' && mayFail ? 'success' : end.outcome },
    ...{ annotations: log.annotations, log: log.lines.join('\n') },
  };
  job.reports.push(report);
  if (report.conclusion === 'failure' && job.status === 'success') job.status = 'failure';
  return report;
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
  const start = work.isHosted ? startHostedStep : startProcess;
  const child = start(work.command, (line) => log.read(line));
  job.running = { process: child, outlivesCancel: isDue };
  const minutes = definition['timeout-minutes'];
  let isLate = false;
  using _timer = job.afterMinutes(minutes, () => {
    isLate = true;
    log.fail(`The action '${definition.name ?? definition.uses ?? 'run'}' has timed out after ${minutes} minutes.`);
    void child.cancel(job.cancelTimes);
  });
  const code = await child.ended;
  job.running = undefined;
  if (!isLate && (child.isCancelled || job.isLost)) return { outcome: 'cancelled', code, outputs: {} };
  if (code !== 0 && work.isScript && !isLate) log.fail(`Process completed with exit code ${code ?? 1}.`);
  return { outcome: code === 0 && !isLate ? 'success' : 'failure', code, outputs: {} };
}

const FILES = ['GITHUB_OUTPUT', 'GITHUB_STATE', 'GITHUB_STEP_SUMMARY', 'GITHUB_ENV', 'GITHUB_PATH'] as const;
type CommandFiles = Readonly<Record<(typeof FILES)[number], string>>;

async function createCommandFiles(temp: string): Promise<CommandFiles> {
  const folder = await mkdtemp(join(temp, '_runner_file_commands_'));
  for (const name of FILES) await writeFile(join(folder, name), '');
  return Object.fromEntries(FILES.map((name) => [name, join(folder, name)])) as CommandFiles;
}

/** A summary over 1 MiB is dropped as a whole. */
async function readFiles(
  job: Job,
  files: CommandFiles,
  log: StepLog,
): Promise<Pick<StepReport, 'outputs' | 'state' | 'summary'>> {
  const read = (name: keyof CommandFiles): Promise<string> => readFile(files[name], 'utf8');
  for (const [name, value] of Object.entries(parseFileCommand(await read('GITHUB_ENV'))))
    if (name.toUpperCase() !== 'NODE_OPTIONS') job.env[name] = value;
    else log.fail(`Can't store ${name} output parameter using '$GITHUB_ENV' command.`);
  const paths = (await read('GITHUB_PATH')).split('\n').filter((line) => line !== '');
  job.path.unshift(...paths.toReversed());
  const summary = masked(await read('GITHUB_STEP_SUMMARY'), job.masks);
  const kib = Math.ceil(Buffer.byteLength(summary) / 1024);
  if (kib > 1024) log.fail(`$GITHUB_STEP_SUMMARY upload aborted, supports content up to a size of 1024k, got ${kib}k.`);
  const [outputs, state] = [
    parseFileCommand(await read('GITHUB_OUTPUT')),
    parseFileCommand(await read('GITHUB_STATE')),
  ];
  return { outputs, state, summary: kib > 1024 ? '' : summary };
}
