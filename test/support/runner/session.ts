import type { JsonValue } from '../../../src/json/json.ts';
import type { JobEnvironment, JobOptions } from '../github/job-environment.ts';
import type { ResultsService } from '../github/results-service.ts';
import type { CheckoutRequest } from './checkout.ts';
import type { Contexts, Status } from './expressions.ts';
import type { Annotation } from './log-commands.ts';
import type { CancelTimes, StepCommand, StepProcess } from './step-process.ts';
import type { JobDefinition, StepDefinition, WorkflowDefinition } from './workflow-file.ts';

/** Everything that decides what a job does. */
export interface JobOrder {
  readonly service: ResultsService;
  /** Who the job is to the service. */
  readonly options: JobOptions;
  readonly definition: JobDefinition;
  /** `env` and `defaults` of the workflow. */
  readonly workflow?: Partial<Pick<WorkflowDefinition, 'env' | 'defaults'>>;
  /** What `actions/checkout` brings, and where `$/` is. */
  readonly source: CheckoutRequest;
  /** Folders of the actions that are not in the workspace, by what stands before the `@`: `octo/gate` or `octo/gate/sub`. */
  readonly actions?: Readonly<Record<string, string>>;
  /** `needs`, `matrix`, `strategy`, `inputs` and `vars`, as expressions see them; default: empty objects. */
  readonly contexts?: Partial<Readonly<Record<'needs' | 'matrix' | 'strategy' | 'inputs' | 'vars', JsonValue>>>;
  /** Beside `GITHUB_TOKEN`. They are masked. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Variables of the machine beside where its programs are, as every step sees them. */
  readonly machine?: Readonly<Record<string, string>>;
  /** Starts the program of an action; default: as a process. What `run:` says is always one. */
  readonly startAction?: (command: StepCommand) => StepProcess;
  /** Default: the runner's. */
  readonly cancelTimes?: CancelTimes;
  /** Is given the lines of the log as they come. */
  readonly onLine?: ((line: string) => void) | undefined;
  /** Called when the job is through, before its folders are gone. */
  readonly inspect?: (environment: JobEnvironment, report: JobReport) => Promise<void> | void;
}

/** How a step or job ended. */
export type Conclusion = Status | 'skipped';

/** What became of one step, or of its post. */
export interface StepReport {
  /** `id:` of the step, else the name that the runner gives it: `__run`, `__self_2`. */
  readonly id: string;
  readonly name: string;
  readonly stage: 'main' | 'post';
  /** Before `continue-on-error`. */
  readonly outcome: Conclusion;
  readonly conclusion: Conclusion;
  /** Null where no process ran or a signal ended it. */
  readonly code: number | null;
  readonly outputs: Readonly<Record<string, string>>;
  readonly state: Readonly<Record<string, string>>;
  readonly summary: string;
  /** Lines as the log shows them, secrets masked. */
  readonly log: readonly string[];
  readonly annotations: readonly Annotation[];
}

/** What became of a job. */
export interface JobReport {
  readonly id: string;
  /** With the values of its leg: `build (node, linux)`. */
  readonly name: string;
  /** In which it ran. */
  readonly attempt: number;
  readonly conclusion: Conclusion;
  /** Whether its runner went away. */
  readonly lost: boolean;
  readonly outputs: Readonly<Record<string, string>>;
  /** Mains, then posts, as they ran. */
  readonly steps: readonly StepReport[];
  /** What its steps wrote to the job's summary. */
  readonly summary: string;
  readonly annotations: readonly Annotation[];
  readonly log: readonly string[];
}

/** A step that is to run at the end of the job. */
export interface PostStep {
  readonly id: string;
  readonly definition: StepDefinition;
  readonly folder: string;
  /** What its main saved. */
  readonly state: Record<string, string>;
}

/** A job while it is running. */
export interface Session {
  readonly order: JobOrder;
  readonly environment: JobEnvironment;
  readonly masks: Set<string>;
  readonly trackingId: string;
  readonly onLine: (line: string) => void;
  status: Status;
  isLost: boolean;
  /** Variables of the job, with what steps wrote to `GITHUB_ENV`. */
  readonly env: Record<string, string>;
  /** What steps wrote to `GITHUB_PATH`, newest first. */
  readonly path: string[];
  /** The `steps` context. */
  readonly steps: Record<string, { outcome: string; conclusion: string; outputs: Record<string, string> }>;
  readonly posts: PostStep[];
  readonly reports: StepReport[];
  /** The step that is running: its process, and whether it goes on when the job is cancelled. */
  running: { readonly process: StepProcess; readonly outlivesCancel: () => boolean } | undefined;
}

/** Contexts of the steps of a job. `env` is the step's own. */
export function stepContexts(session: Session, env: Readonly<Record<string, string>>): Contexts {
  return { ...jobContexts(session), env, steps: session.steps };
}

/** Contexts of a job whose runner is there. */
export function jobContexts({ order, environment, status }: Session): Contexts {
  const { secrets = {}, contexts = {} } = order;
  return {
    needs: {},
    matrix: {},
    strategy: {},
    inputs: {},
    vars: {},
    ...contexts,
    github: githubContext(environment, order.options.payload ?? {}),
    runner: { ...withoutPrefix(environment.env, 'RUNNER_'), debug: '' },
    job: jobContext(environment, status),
    secrets: { ...secrets, GITHUB_TOKEN: environment.token },
    env: {},
    steps: {},
  };
}

/** Of those, what the default of an input may use, as the schema of actions/runner (`action_yaml.json`) has it. */
export function inputDefaultContexts(contexts: Contexts): Contexts {
  const { github = {}, strategy = {}, matrix = {}, job = {}, runner = {} } = contexts;
  return { github, strategy, matrix, job, runner };
}

function githubContext({ env, token }: JobEnvironment, payload: object): Record<string, JsonValue> {
  const { actions: _, ...known } = withoutPrefix(env, 'GITHUB_');
  return { ...known, token, event: payload as Record<string, JsonValue> };
}

function jobContext({ env, job }: JobEnvironment, status: Status): Record<string, JsonValue> {
  const [path = ''] = (env['GITHUB_WORKFLOW_REF'] ?? '').replace(`${env['GITHUB_REPOSITORY']}/`, '').split('@');
  return {
    status,
    check_run_id: job.id,
    workflow_ref: env['GITHUB_WORKFLOW_REF'] ?? '',
    workflow_sha: env['GITHUB_WORKFLOW_SHA'] ?? '',
    workflow_repository: env['GITHUB_REPOSITORY'] ?? '',
    workflow_file_path: path,
  };
}

/** Variables of a prefix as a context has them: without it, in lower case. */
export function withoutPrefix(env: Readonly<Record<string, string>>, prefix: string): Record<string, string> {
  const entries = Object.entries(env).filter(([name]) => name.startsWith(prefix));
  return Object.fromEntries(entries.map(([name, value]) => [name.slice(prefix.length).toLowerCase(), value]));
}
