import { readFile } from 'node:fs/promises';
import { parseFileCommand } from '../github/file-commands.ts';
import type { JobEnvironment } from '../github/job-environment.ts';
import { answersOf, evaluateCondition, evaluateText, type Contexts } from './expressions.ts';
import { LogReader, masked } from './log-commands.ts';
import { stepContexts, type Conclusion, type PostStep, type Session, type StepReport } from './session.ts';
import { prepareAction, preparePost, prepareScript, type Prepared } from './step-kinds.ts';
import { startStepProcess } from './step-process.ts';
import type { StepDefinition } from './workflow-file.ts';

/** Bytes of one step's summary; the runner drops a longer one whole. */
const SUMMARY_LIMIT = 1024 * 1024;

/** Variables that `GITHUB_ENV` does not set (`SetEnvFileCommand` of actions/runner). */
const BLOCKED = new Set(['NODE_OPTIONS']);

/** Runs a step, or passes over it, and adds what became of it to the job's session. */
export async function runStep(session: Session, definition: StepDefinition, id: string): Promise<void> {
  const about: About = { id, definition, stage: 'main' };
  const step = await carryOut(session, about, async (given, holds) => {
    if (!holds(definition.if)) return 'skipped';
    return definition.run === undefined
      ? prepareAction(session, definition, given)
      : prepareScript(session, definition, definition.run, given);
  });
  if (definition.id !== undefined) {
    session.steps[definition.id] = { outcome: step.outcome, conclusion: step.conclusion, outputs: { ...step.outputs } };
  }
}

/** Runs the post of an action. */
export async function runPost(session: Session, post: PostStep): Promise<void> {
  const about: About = { id: post.id, definition: post.definition, stage: 'post' };
  await carryOut(session, about, async (given, holds) => {
    const prepared = await preparePost(session, post, given);
    return holds(prepared.condition) ? prepared : 'skipped';
  });
}

/** What a step is made from once its variables are known. */
export interface Given {
  readonly id: string;
  readonly files: JobEnvironment;
  readonly env: Readonly<Record<string, string>>;
  readonly contexts: Contexts;
}

interface About {
  readonly id: string;
  readonly definition: StepDefinition;
  readonly stage: StepReport['stage'];
}

/** Whether a condition holds as things stand when it is called. */
type Holds = (condition: string | undefined) => boolean;
type Prepare = (given: Given, holds: Holds) => Promise<Prepared | 'skipped'>;

/** How a step ended, and where what it saves is to go. */
interface Ended {
  readonly outcome: Conclusion;
  readonly code: number | null;
  readonly state?: Record<string, string> | undefined;
}

/** The log and the files of a step that began. */
interface OpenStep {
  readonly files: JobEnvironment;
  readonly log: LogReader;
  readonly onLine: (line: string) => void;
  /** What the runner itself has to say. */
  readonly complain: (message: string) => void;
}

async function carryOut(session: Session, about: About, prepare: Prepare): Promise<StepReport> {
  const { id, definition, stage } = about;
  const open = await openStep(session);
  const ended = await execute(session, about, prepare, open).catch((error: unknown): Ended => {
    open.complain((error as Error).message);
    return { outcome: 'failure', code: null };
  });
  const told = session.isLost ? NOTHING : await readFiles(session, open);
  Object.assign(ended.state ?? {}, told?.state);
  const outcome = told === undefined && ended.outcome === 'success' ? 'failure' : ended.outcome;
  const report: StepReport = {
    id,
    name: definition.name ?? definition.uses ?? (definition.run ?? '').split('\n')[0]!,
    stage,
    outcome,
    conclusion: outcome === 'failure' && mayFail(session, definition) ? 'success' : outcome,
    code: ended.code,
    ...(told ?? NOTHING),
    log: open.log.lines,
    annotations: open.log.annotations,
  };
  session.reports.push(report);
  if (report.conclusion === 'failure' && session.status === 'success') session.status = 'failure';
  return report;
}

async function openStep(session: Session): Promise<OpenStep> {
  const files = await session.environment.nextStep();
  const log = new LogReader(session.masks);
  const onLine = (line: string) => {
    const shown = log.read(line);
    if (shown !== undefined) session.onLine(shown);
  };
  const complain = (message: string) => onLine(`::error::${message.replaceAll('%', '%25').replaceAll('\n', '%0A')}`);
  return { files, log, onLine, complain };
}

async function execute(session: Session, about: About, prepare: Prepare, open: OpenStep): Promise<Ended> {
  const env = stepVariables(session, about.definition);
  const contexts = () => stepContexts(session, env);
  const holds: Holds = (condition) => evaluateCondition(condition, answersOf(session.status), contexts());
  let known: string | undefined;
  const prepared = await prepare({ id: about.id, files: open.files, env, contexts: contexts() }, (condition) => {
    known = condition;
    return holds(condition);
  });
  if (prepared === 'skipped') return { outcome: 'skipped', code: null };
  return { ...(await start(session, prepared, open.onLine, () => holds(known))), state: prepared.state };
}

/** `env` of the job as it is by now, and of the step. */
function stepVariables(session: Session, definition: StepDefinition): Record<string, string> {
  const env = { ...session.env };
  const contexts = stepContexts(session, session.env);
  for (const [name, value] of Object.entries(definition.env)) env[name] = evaluateText(value, contexts);
  return env;
}

function mayFail(session: Session, definition: StepDefinition): boolean {
  const may = definition['continue-on-error'];
  return typeof may === 'boolean' ? may : evaluateText(may, stepContexts(session, session.env)) === 'true';
}

async function start(
  session: Session,
  prepared: Prepared,
  onLine: (line: string) => void,
  outlivesCancel: () => boolean,
): Promise<Ended> {
  if ('work' in prepared) {
    await prepared.work();
    return { outcome: 'success', code: null };
  }
  for (const warning of prepared.warnings ?? []) onLine(`::warning::${warning}`);
  if (session.isLost) return { outcome: 'cancelled', code: null };
  const begin = prepared.isScript ? startStepProcess : (session.order.startAction ?? startStepProcess);
  const child = begin({ ...prepared.command, onLine });
  session.running = { process: child, outlivesCancel };
  const { code, signal } = await child.ended;
  session.running = undefined;
  if (child.isCancelled() || session.isLost) return { outcome: 'cancelled', code };
  if (code !== 0 && prepared.isScript) onLine(`::error::Process completed with exit code ${code ?? signal}.`);
  return { outcome: code === 0 ? 'success' : 'failure', code };
}

type Told = Pick<StepReport, 'outputs' | 'state' | 'summary'>;

const NOTHING: Told = { outputs: {}, state: {}, summary: '' };

/** What the step wrote to its files. Undefined where the runner would not understand it, and fail the step. */
async function readFiles(session: Session, { files, complain }: OpenStep): Promise<Told | undefined> {
  try {
    const [env, path] = await Promise.all(
      ['GITHUB_ENV', 'GITHUB_PATH'].map((name) => readFile(files.env[name]!, 'utf8')),
    );
    for (const [name, value] of Object.entries(parseFileCommand(env!))) {
      if (!BLOCKED.has(name.toUpperCase())) session.env[name] = value;
      else complain(`Can't store ${name} output parameter using '$GITHUB_ENV' command.`);
    }
    session.path.unshift(
      ...path!
        .split('\n')
        .filter((line) => line !== '')
        .toReversed(),
    );
    const summary = masked(await files.summary(), session.masks);
    const size = Buffer.byteLength(summary);
    if (size > SUMMARY_LIMIT) complain(`$GITHUB_STEP_SUMMARY takes up to 1024k, got ${Math.floor(size / 1024)}k`);
    return {
      outputs: await files.outputs(),
      state: await files.state(),
      summary: size > SUMMARY_LIMIT ? '' : summary,
    };
  } catch (error) {
    complain((error as Error).message);
    return undefined;
  }
}
