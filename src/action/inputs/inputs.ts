import { INPUT_PREFIX, type Environment } from '../../environment.ts';
import { millisecondsOf } from '../../pipeline/file/gateline-values.ts';
import { described } from '../../pipeline/problem.ts';
import type { Digest } from '../../json/digest.ts';
import type { JsonObject, JsonValue } from '../../json/json.ts';
import { INPUT_USES } from './input-uses.ts';
import { type CommandName } from './command-names.ts';
import type { InputProblem } from './input-problems.ts';
import { INPUT_NAMES, PLAIN_INPUTS, type InputName, type ParsedInputs } from './inputs-schema.ts';
import type { Needs } from './needs.ts';
import { DEFAULT_OUTAGE_MINUTES } from './time-limits.ts';
import type { Runner } from '../runner.ts';
import { contradictions, misplacedInputs } from './contradictions.ts';
import { unknownInputs } from './unknown-inputs.ts';

/** The inputs that describe a gate, parsed but not validated: `describeGate` does that. Absent: not set. */
export type GateDescription = Readonly<Partial<Record<InputName, JsonValue>>>;

/** The inputs of a step, validated and with all defaults. */
export interface ActionInputs {
  /** Default `run`. */
  readonly command: CommandName;
  /** Default: the id of the job, see {@link ActionInputs.gate} of the event. */
  readonly gate: string | undefined;
  readonly pipeline: string | undefined;
  readonly subject: string | undefined;
  /** Path of the definition, relative to the workspace. Default: found by its name. */
  readonly file: string | undefined;
  readonly needs: Needs | undefined;
  /** The description of a gate without a `gateline.yml`. */
  readonly description: GateDescription;
  readonly task: string | undefined;
  readonly metadata: JsonObject;
  /** The caller's input; `input-file` names a file with it. `undefined`: none. */
  readonly input: JsonValue | undefined;
  readonly inputFile: string | undefined;
  /** The token of a claim, as text. Always set for `complete`. */
  readonly token: string | undefined;
  /** How the step between `begin` and `complete` ended, or the jobs before a report about a set. */
  readonly outcome: 'success' | 'failure' | 'cancelled' | 'skipped' | undefined;
  /** The value itself, JSON text of at most 100 KiB; `output-file` names a file with it. */
  readonly output: string | undefined;
  readonly outputFile: string | undefined;
  /** The metrics of the agent: JSON text, or the path of a file with it. */
  readonly metrics: string | undefined;
  /** Default false. */
  readonly exposeOutput: boolean;
  /** Ids of the gates whose files are delivered. Never empty for `apply` without `set`. */
  readonly gates: readonly string[];
  /** How `apply` hands files over. Default: in the checkout only. */
  readonly deliver: 'files' | 'patch' | 'commit' | 'pull-request' | 'branch';
  /** Exact paths, from the top of the repository, that are delivered although something runs them by itself. */
  readonly allow: readonly string[];
  /** `apply` also adds what agents learned to a document. Default false. */
  readonly learnings: boolean;
  /** Path of the file of a set, relative to the workspace. Always set for `set`. */
  readonly set: string | undefined;
  /** Digests of the files that completed subjects handed on, by id, as `set` puts them out. Default: none. */
  readonly subjectFiles: Readonly<Record<string, Digest>>;
  /** The name of the set whose subjects `set` runs. Default: all subjects. */
  readonly onlySet: string | undefined;
  /** The wave of subjects that `set` prepares, from 0. `undefined`: it reports. */
  readonly wave: number | undefined;
  /** Age from which `clean` removes what a run left, in milliseconds. Default: 30 days; at least that. */
  readonly older: number;
  /** `clean` removes nothing. Default false. */
  readonly dryRun: boolean;
  /** Name of the workflow file of the pipeline, for `comment`. */
  readonly workflow: string | undefined;
  /** Id of the workflow run to continue from. */
  readonly resume: string | undefined;
  readonly githubToken: string | undefined;
  /** 1 to 400. `undefined`: the repository's setting. */
  readonly retentionDays: number | undefined;
  /** Maximum number of artifacts before a listing is considered incomplete. Default 1000, as in the toolkit. */
  readonly maxArtifacts: number;
  /** Minutes to wait for GitHub at the end of an attempt, in all steps together. Default 5. */
  readonly outageMinutes: number;
  readonly cache: 'auto' | 'off';
  /** Seconds after which a git command is ended. Default 30. */
  readonly gitTimeoutSeconds: number;
  /** Secrets of several gates, by name. Only those that a gate of the file names are used. */
  readonly secretValues: Readonly<Record<string, string | null>>;
  readonly comment: 'auto' | 'always' | 'never';
  /** Commit statuses of `report`. Default `auto`: of the run, if its work may be sent back. */
  readonly statuses: 'auto' | 'gates' | 'never';
  /** Default true. */
  readonly summary: boolean;
  /** Runs shown by `report`, 0 to 200. Default 20. */
  readonly history: number;
  /** Whether `report` uploads the run as a page of HTML. Default `false`. */
  readonly htmlReport: boolean;
  /** The systems whose files agents find; none: an empty list. Default: `mirror` of the definition. */
  readonly mirror: ParsedInputs['mirror'];
  /** `file` or `input` alone, or for `report` ids of gates. Default: none. */
  readonly standIn: readonly string[];
  /** Name of the branch that reports append their entries to. `undefined`: none. */
  readonly historyBranch: string | undefined;
  /** `${{ job.status }}`, which the post step evaluates again. `undefined`: the runner does not report it. */
  readonly jobStatus: 'success' | 'failure' | 'cancelled' | undefined;
  /** `${{ toJSON(matrix) }}`; `undefined`: no matrix. */
  readonly matrix: JsonObject | undefined;
  /**
   * The file that defines this job, also inside a reusable workflow, and its source. `undefined`: the runner does not
   * report it.
   */
  readonly workflowFile: string | undefined;
  readonly workflowRepository: string | undefined;
  readonly workflowSha: string | undefined;
  readonly checkRunId: string | undefined;
  /** Names of the inputs that are set, including defaults of `action.yml`. */
  readonly given: ReadonlySet<InputName>;
  /** For people, one sentence each: inputs without an effect here, and inputs that do not exist. */
  readonly notices: readonly string[];
}

/** Inputs with problems: all problems, and those valid inputs that are needed to find further ones. */
export interface WrongInputs
  extends AboutDefinition, Pick<ActionInputs, 'description' | 'file' | 'gitTimeoutSeconds' | 'inputFile'> {
  readonly ok: false;
  readonly problems: readonly InputProblem[];
}

/** Inputs, or all problems with them. */
export type ReadInputs = { readonly ok: true; readonly inputs: ActionInputs } | WrongInputs;

const DEFAULT_MAX_ARTIFACTS = 1_000;
const DEFAULT_HISTORY = 20;
const DEFAULT_OLDER = millisecondsOf('30d');
/** Default number of seconds after which a git command is ended. */
const DEFAULT_GIT_TIMEOUT = 30;

/**
 * Reads the inputs of this step. Reports all problems at once: values, misspelt names, and inputs of another command.
 * Never throws.
 * @param environment contains the names of the inputs (`INPUT_*`, as the runner sets them): the toolkit does not list
 *   them
 * @param schema see `schemaForStep`
 */
export function readInputs(
  environment: Environment,
  runner: Pick<Runner, 'getInput'>,
  schema: typeof PLAIN_INPUTS,
): ReadInputs {
  const given = givenInputs(runner);
  const parsed = schema.safeParse(given);
  const description = descriptionOf(given, schema);
  const wrong = parsed.success ? [] : parsed.error.issues.map((issue) => problemOf(issue, given));
  const command = commandOf(given);
  const misplaced = command === undefined ? [] : misplacedInputs(given, command);
  const errors = misplaced.filter(({ input }) => INPUT_USES[input].elsewhere === 'error');
  const unknown = unknownInputs(otherInputs(environment), command);
  const problems = [...wrong, ...unknown.problems, ...errors, ...contradictions(given, command)];
  if (!parsed.success || problems.length > 0)
    return { ok: false, problems, description, ...soundInputs(given, command) };
  const notices = misplaced.filter((one) => !errors.includes(one)).map(({ input, message }) => `${input}: ${message}`);
  if (unknown.notice !== undefined) notices.push(unknown.notice);
  return { ok: true, inputs: build(parsed.data, description, notices) };
}

/** Inputs that are not blank. */
function givenInputs(runner: Pick<Runner, 'getInput'>): Record<string, string> {
  const given = INPUT_NAMES.map((name) => [name, runner.getInput(name)] as const);
  return Object.fromEntries(given.filter(([, value]) => value.trim() !== ''));
}

/**
 * `INPUT_*` variables that are not inputs, in lower case: GitHub passes inputs in capitals, whatever the workflow's
 * spelling.
 */
function otherInputs(environment: Environment): string[] {
  return Object.entries(environment).flatMap(([variable, value]) => {
    const name = variable.slice(INPUT_PREFIX.length).toLowerCase();
    const isGiven = variable.startsWith(INPUT_PREFIX) && value !== undefined && value.trim() !== '';
    return isGiven && !isInput(name) ? [name] : [];
  });
}

function isInput(name: string): name is InputName {
  return INPUT_NAMES.some((known) => known === name);
}

/** The command, if it is valid: other messages depend on it. */
function commandOf(given: Readonly<Record<string, string>>): CommandName | undefined {
  const parsed = PLAIN_INPUTS.shape.command.safeParse(given['command']);
  return parsed.success ? (parsed.data ?? 'run') : undefined;
}

/** The valid inputs that are needed to find further problems. */
function soundInputs(
  given: Readonly<Record<string, string>>,
  command: CommandName | undefined,
): Omit<WrongInputs, 'ok' | 'problems' | 'description'> {
  return {
    command,
    given: new Set(INPUT_NAMES.filter((name) => given[name] !== undefined)),
    needs: soundOf('needs', given),
    file: soundOf('file', given),
    inputFile: soundOf('input-file', given),
    gitTimeoutSeconds: soundOf('git-timeout', given) ?? DEFAULT_GIT_TIMEOUT,
  };
}

/** One input by itself, if it is valid. */
function soundOf<N extends 'file' | 'git-timeout' | 'input-file' | 'needs'>(
  name: N,
  given: Readonly<Record<string, string>>,
): ParsedInputs[N] {
  const parsed = PLAIN_INPUTS.shape[name].safeParse(given[name]);
  return parsed.success ? (parsed.data as ParsedInputs[N]) : undefined;
}

function descriptionOf(given: Readonly<Record<string, string>>, schema: typeof PLAIN_INPUTS): GateDescription {
  const description: Partial<Record<InputName, JsonValue>> = {};
  for (const name of INPUT_NAMES) {
    const text = given[name];
    if (text === undefined || INPUT_USES[name].describes !== true) continue;
    const parsed = schema.shape[name].safeParse(text);
    if (parsed.success) description[name] = parsed.data as JsonValue;
  }
  return description;
}

interface InputIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

function problemOf(issue: InputIssue, given: Readonly<Record<string, string>>): InputProblem {
  const input = String(issue.path[0]);
  const silent = !isInput(input) || INPUT_USES[input].silent === true;
  const found = silent ? '' : `, found ${described(given[input])}`;
  return { input, message: `${issue.message}${found}` };
}

function build(parsed: ParsedInputs, description: GateDescription, notices: readonly string[]): ActionInputs {
  const isGiven = (name: InputName): boolean => parsed[name] !== undefined;
  return {
    command: parsed.command ?? 'run',
    gate: parsed.gate,
    pipeline: parsed.pipeline,
    subject: parsed.subject,
    file: parsed.file,
    needs: parsed.needs,
    description,
    task: parsed.task,
    metadata: parsed.metadata ?? {},
    input: parsed.input,
    inputFile: parsed['input-file'],
    token: parsed.token,
    outcome: parsed.outcome,
    output: parsed.output,
    outputFile: parsed['output-file'],
    metrics: parsed.metrics,
    exposeOutput: parsed['expose-output'] ?? false,
    gates: parsed.gates ?? [],
    deliver: parsed.deliver ?? 'files',
    allow: parsed.allow ?? [],
    learnings: parsed.learnings ?? false,
    set: parsed.set,
    subjectFiles: parsed['subject-files'] ?? {},
    onlySet: parsed['only-set'],
    wave: parsed.wave,
    older: parsed.older ?? DEFAULT_OLDER,
    dryRun: parsed['dry-run'] ?? false,
    workflow: parsed.workflow,
    resume: parsed.resume,
    githubToken: parsed['github-token'],
    retentionDays: parsed['retention-days'],
    maxArtifacts: parsed['max-artifacts'] ?? DEFAULT_MAX_ARTIFACTS,
    outageMinutes: parsed['outage-minutes'] ?? DEFAULT_OUTAGE_MINUTES,
    cache: parsed.cache ?? 'auto',
    gitTimeoutSeconds: parsed['git-timeout'] ?? DEFAULT_GIT_TIMEOUT,
    secretValues: parsed['secret-values'] ?? {},
    comment: parsed.comment ?? 'auto',
    statuses: parsed.statuses ?? 'auto',
    summary: parsed.summary ?? true,
    history: parsed.history ?? DEFAULT_HISTORY,
    htmlReport: parsed['html-report'] ?? false,
    mirror: parsed.mirror,
    standIn: parsed['stand-in'] ?? [],
    historyBranch: parsed['history-branch'],
    jobStatus: parsed['job-status'],
    matrix: parsed.matrix,
    workflowFile: parsed['workflow-file'],
    workflowRepository: parsed['workflow-repository'],
    workflowSha: parsed['workflow-sha'],
    checkRunId: parsed['check-run-id'],
    given: new Set(INPUT_NAMES.filter(isGiven)),
    notices,
  };
}

/** Inputs that are checked against a definition. */
export interface AboutDefinition extends Pick<ActionInputs, 'given' | 'needs'> {
  readonly command: CommandName | undefined;
}
