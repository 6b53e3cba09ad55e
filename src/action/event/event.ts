import { GITHUB_VARIABLES, type Environment } from '../../environment.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { JsonObject } from '../../json/json.ts';
import { readDispatch, type Dispatch } from './dispatch.ts';
import { readRework } from './dispatched-rework.ts';
import type { GivenRework } from '../../run/records/reworks.ts';
import { readPayload } from './event-payload.ts';
import type { ActionInputs } from '../inputs/inputs.ts';
import { trustOf, type PullRequest, type Trust } from './trust.ts';

/** A workflow file and its source. */
export interface WorkflowFile {
  /** `.github/workflows/ci.yml`. */
  readonly path: string;
  /** `owner/name`; differs from the run's repository if a reusable workflow of another repository is called. */
  readonly repository: string;
  /** The commit that it is read from, if the runner reports it. */
  readonly commit: string | undefined;
  /**
   * `job`: the runner named the file that defines this job. `run`: it did not; this is the file of the workflow that
   * was started.
   */
  readonly from: 'job' | 'run';
}

/** The run and the job of this step, and the event that started them. */
export interface WorkflowEvent {
  /** `push`, `pull_request`, … */
  readonly name: string;
  /** `owner/name`. */
  readonly repository: string;
  /** Digits. */
  readonly runId: string;
  /** Of the workflow, from 1: each workflow of a repository has its own numbers. */
  readonly runNumber: number;
  /** From 1. */
  readonly runAttempt: number;
  /** Id of the job in its own file: the same for every caller of a reusable workflow. */
  readonly job: string;
  /** Values of the matrix of this job; `undefined` without a matrix. */
  readonly matrix: JsonObject | undefined;
  readonly checkRunId: string | undefined;
  readonly sha: string;
  /** In full: `refs/heads/main`, `refs/pull/7/merge`. */
  readonly ref: string;
  /** Short name: `main`, `7/merge`. */
  readonly refName: string;
  readonly actor: string;
  /** A program started this run attempt, over the API. */
  readonly isByProgram: boolean;
  /** Without a trailing slash. */
  readonly serverUrl: string;
  readonly apiUrl: string;
  /** Absolute paths. */
  readonly workspace: string;
  readonly temp: string;
  /** The file that defines this job. */
  readonly workflowFile: WorkflowFile;
  /** Path of the file of the workflow that was started: the same for all jobs of a run. */
  readonly startedFile: string;
  readonly pullRequest: PullRequest | undefined;
  readonly defaultBranch: string | undefined;
  /** Id of the comment that started the run, if it was just written on a pull request. */
  readonly newComment: number | undefined;
  /** Id of the run whose end started this one. */
  readonly triggeringRun: number | undefined;
  /** The default subject: `pr-<n>`, otherwise the branch, with a mark if its name looks like `pr-<n>`. */
  readonly subject: string;
  readonly trust: Trust;
  /** The inputs of the event, if a person or a job started the run to continue another run. */
  readonly dispatch: Dispatch | undefined;
  /** The work that it does again, because a gate of the previous run sent it back. */
  readonly rework: GivenRework | undefined;
  /** For people: the assumptions made, one sentence each. */
  readonly notices: readonly string[];
}

const WORKFLOW_REF = /^([^/@]+\/[^/@]+)\/([^@]+)@(.+)$/;

/** Each required variable, its pattern, and a description of the pattern. */
const NEEDED = {
  repository: [/^[^/\s]+\/[^/\s]+$/, 'owner/name'],
  runId: [/^[1-9][0-9]{0,19}$/, 'a number'],
  runNumber: [/^[1-9][0-9]{0,8}$/, 'a number'],
  runAttempt: [/^[1-9][0-9]{0,5}$/, 'a number'],
  job: [/^[A-Za-z_][A-Za-z0-9_-]{0,254}$/, 'the id of a job'],
  sha: [/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, 'the id of a commit'],
  ref: [/^refs\/[^\s]{1,1000}$/, 'a ref that begins with refs/'],
  eventName: [/^[a-z_]{1,100}$/, 'the name of an event'],
  actor: [/^[^\s]{1,255}$/, 'a name'],
  serverUrl: [/^https?:\/\/[^\s]+$/, 'an address'],
  apiUrl: [/^https?:\/\/[^\s]+$/, 'an address'],
  workflowRef: [WORKFLOW_REF, 'owner/name/path@ref'],
  workspace: [/^(?:\/|[A-Za-z]:[\\/]|\\\\)/, 'an absolute path'],
  temp: [/^(?:\/|[A-Za-z]:[\\/]|\\\\)/, 'an absolute path'],
} as const satisfies Partial<Record<keyof typeof GITHUB_VARIABLES, readonly [RegExp, string]>>;

type NeededValues = Readonly<Record<keyof typeof NEEDED, string>>;

/**
 * Reads the event from the runner's variables and the event's payload.
 * https://docs.github.com/actions/reference/workflows-and-actions/variables#default-environment-variables
 * @param payload the parsed document that `GITHUB_EVENT_PATH` names
 * @throws GatelineError `RUNNER_ENVIRONMENT` naming every variable that is missing or malformed, `EVENT_INVALID`,
 *   `DISPATCH_INVALID`
 */
export function readEvent(
  environment: Environment,
  payload: unknown,
  inputs: Pick<ActionInputs, 'matrix' | 'workflowFile' | 'workflowRepository' | 'workflowSha' | 'checkRunId'>,
): WorkflowEvent {
  const { values, notice } = neededValues(environment);
  const { repository, ref, sha, eventName: name } = values;
  const facts = readPayload(payload);
  const trust = trustOf({ name, repository, sha, ref, ...facts });
  const refName = environment[GITHUB_VARIABLES.refName] || ref.replace(/^refs\/(?:heads|tags|pull)\//, '');
  const { pullRequest, defaultBranch, newComment, triggeringRun } = facts;
  const started = startedFile(values.workflowRef);
  const dispatch = readDispatch(name, payload);
  const workflowFile = fileOf(inputs, started);
  return {
    name,
    repository,
    runId: values.runId,
    runNumber: Number(values.runNumber),
    runAttempt: Number(values.runAttempt),
    job: values.job,
    matrix: inputs.matrix,
    checkRunId: inputs.checkRunId,
    sha,
    ref,
    refName,
    actor: values.actor,
    isByProgram: (environment[GITHUB_VARIABLES.triggeringActor] ?? '').endsWith('[bot]'),
    serverUrl: values.serverUrl.replace(/\/+$/, ''),
    apiUrl: values.apiUrl.replace(/\/+$/, ''),
    workspace: values.workspace,
    temp: values.temp,
    workflowFile,
    startedFile: started.path,
    pullRequest,
    defaultBranch,
    newComment: name === 'issue_comment' ? newComment : undefined,
    triggeringRun: name === 'workflow_run' ? triggeringRun : undefined,
    subject: pullRequest === undefined ? subjectOf(ref, refName) : `pr-${pullRequest.number}`,
    trust,
    dispatch,
    rework: readRework(dispatch),
    notices: [notice, trust.notice].filter((one) => one !== undefined),
  };
}

/**
 * A branch may be named `pr-7` without being pull request 7. The mark contains a space, which no ref name can have, so
 * it is unambiguous.
 */
function subjectOf(ref: string, refName: string): string {
  if (!/^pr-[0-9]+$/.test(refName)) return refName;
  return `${refName} (${ref.startsWith('refs/tags/') ? 'tag' : 'branch'})`;
}

interface Needed {
  readonly values: NeededValues;
  /** For people: the assumption made, one sentence. */
  readonly notice: string | undefined;
}

function neededValues(environment: Environment): Needed {
  const problems: string[] = [];
  const assumed = assumedWorkflow(environment);
  const entries = Object.entries(NEEDED).map(([key, [pattern, expected]]) => {
    const variable = GITHUB_VARIABLES[key as keyof typeof NEEDED];
    const value = environment[variable] || (key === 'workflowRef' ? (assumed?.ref ?? '') : '');
    if (!pattern.test(value)) problems.push(`${variable} is ${value === '' ? 'not set' : 'malformed'} (${expected})`);
    return [key, value] as const;
  });
  if (problems.length === 0) return { values: Object.fromEntries(entries) as NeededValues, notice: assumed?.notice };
  throw new GatelineError('RUNNER_ENVIRONMENT', problems.join('; '));
}

/**
 * The workflow if the runner does not name its file: act sets only its `name`, or the file name if it has none. All
 * jobs of a run make the same assumption.
 */
function assumedWorkflow(environment: Environment): { readonly ref: string; readonly notice: string } | undefined {
  const name = environment[GITHUB_VARIABLES.workflow]?.trim() ?? '';
  if ((environment[GITHUB_VARIABLES.workflowRef] ?? '') !== '' || name === '') return undefined;
  const file = `.github/workflows/${name.replace(/^\.github\/workflows\//, '').replace(/[/@\s]+/g, '-')}`;
  return {
    ref: `${environment[GITHUB_VARIABLES.repository]}/${file}@${environment[GITHUB_VARIABLES.ref]}`,
    notice: `GITHUB_WORKFLOW_REF is not set, as under act: Gateline assumes the workflow file ${file}. If that is wrong, set it with \`--env\`.`,
  };
}

function startedFile(workflowRef: string): { path: string; repository: string } {
  const [, repository, path] = WORKFLOW_REF.exec(workflowRef)!;
  return { repository: repository!, path: path! };
}

function fileOf(
  inputs: Pick<ActionInputs, 'workflowFile' | 'workflowRepository' | 'workflowSha'>,
  started: { readonly path: string; readonly repository: string },
): WorkflowFile {
  if (inputs.workflowFile === undefined) return { ...started, commit: undefined, from: 'run' };
  return {
    path: inputs.workflowFile,
    repository: inputs.workflowRepository ?? started.repository,
    commit: inputs.workflowSha,
    from: 'job',
  };
}
