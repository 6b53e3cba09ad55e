import { GatelineError } from './errors.ts';

/**
 * Environment variables. This file reads those that Gateline itself uses; those of agents are in agent/environment.ts,
 * inputs of actions in action/inputs.ts.
 */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables of this process: the default of the library. */
export function currentEnvironment(): Environment {
  return process.env;
}

/** Variables of the command line: name and meaning, as in the reference documentation. */
export const CALLER_VARIABLES = {
  CI: 'Set, and not `false`: output goes to a log. No live table, no colors.',
  NO_COLOR: 'Set: no colors, see https://no-color.org.',
  FORCE_COLOR: 'Set, and not `0`: colors without a terminal too.',
  TERM: '`dumb`: no live table, no colors.',
  GATELINE_TOKEN: 'The attempt that `complete` ends. `eval "$(gateline begin GATE)"` sets it.',
} as const;

/** Settings from {@link CALLER_VARIABLES}. */
export interface CallerSettings {
  /** Output goes to a log, not to a terminal. */
  readonly isCi: boolean;
  /** Undefined: the terminal decides. */
  readonly colors: boolean | undefined;
  /** Of an attempt that `begin` began. */
  readonly token: string | undefined;
  readonly terminal: string | undefined;
}

export function readCallerSettings(
  environment: Readonly<Partial<Record<keyof typeof CALLER_VARIABLES, string>>>,
): CallerSettings {
  const { CI, NO_COLOR, FORCE_COLOR, GATELINE_TOKEN, TERM } = environment;
  return {
    isCi: CI !== undefined && CI !== '' && CI !== 'false',
    colors: NO_COLOR ? false : FORCE_COLOR ? FORCE_COLOR !== '0' : undefined,
    token: GATELINE_TOKEN,
    terminal: TERM,
  };
}

/** Ids of the gates and commands above this process that hold entities, one a line; {@link JOB_LOCK} in a job. */
export const ENTITY_LOCKS_VARIABLE = 'GATELINE_ENTITY_LOCKS';
/** In a job on GitHub, entities are known to its gate only. */
export const JOB_LOCK = 'job';

export function readEntityLocks(environment: Environment): string[] {
  return environment[ENTITY_LOCKS_VARIABLE]?.split('\n').filter(Boolean) ?? [];
}

/** The file that the commands of `snapshots.database` write or read. */
export const DATABASE_VARIABLE = 'GATELINE_DATABASE';

/** Path of the summary file of a step; undefined: this is no step. */
export function readSummaryPath(environment: Environment): string | undefined {
  return environment['GITHUB_STEP_SUMMARY'] || undefined;
}

/** The values that a step saved for its post step. */
export function readStepState({ STATE_state, STATE_token, STATE_published }: Environment) {
  return { folder: STATE_state, token: STATE_token, isPublished: STATE_published === 'true' };
}

/** The variables that GitHub's runner sets for each step. */
export interface RunnerEnvironment {
  /** `owner/name`. */
  readonly repository: string;
  readonly runId: number;
  /** Counts the runs of a workflow. */
  readonly runNumber: number;
  /** Counts the attempts of a run, from 1. */
  readonly runAttempt: number;
  /** Id of the job in its workflow file. */
  readonly job: string;
  /** Path of the workflow that was started, without its ref. */
  readonly workflow: string;
  readonly eventName: string;
  readonly eventPath: string;
  readonly sha: string;
  readonly ref: string;
  readonly actor: string;
  /** Absolute path of the checkout. */
  readonly workspace: string;
  /** Absolute path of a folder that is removed after the job. */
  readonly temp: string;
  readonly server: string;
  readonly api: string;
  /** Longest retention of artifacts in days: longer ones are cut silently. Undefined: unknown. */
  readonly retentionDays: number | undefined;
  readonly isDebug: boolean;
}

/** @throws GatelineError `platform` naming a variable that is missing: this is no step of a job */
export function readRunnerEnvironment(environment: Environment): RunnerEnvironment {
  const read = (name: string): string => {
    const value = environment[name];
    if (value) return value;
    throw new GatelineError('platform', `the variable ${name} is missing: this is no step of a GitHub job`, {
      hint: 'The action runs in a job of GitHub Actions; elsewhere use `gateline run`.',
    });
  };
  const repository = read('GITHUB_REPOSITORY');
  return {
    repository,
    runId: Number(read('GITHUB_RUN_ID')),
    runNumber: Number(read('GITHUB_RUN_NUMBER')),
    runAttempt: Number(environment['GITHUB_RUN_ATTEMPT'] || 1),
    job: read('GITHUB_JOB'),
    workflow: read('GITHUB_WORKFLOW_REF').split('@')[0]!.slice(`${repository}/`.length),
    eventName: read('GITHUB_EVENT_NAME'),
    eventPath: read('GITHUB_EVENT_PATH'),
    sha: read('GITHUB_SHA'),
    ref: environment['GITHUB_REF'] ?? '',
    actor: environment['GITHUB_ACTOR'] ?? '',
    workspace: read('GITHUB_WORKSPACE'),
    temp: read('RUNNER_TEMP'),
    server: environment['GITHUB_SERVER_URL'] || 'https://github.com',
    api: environment['GITHUB_API_URL'] || 'https://api.github.com',
    retentionDays: Number(environment['GITHUB_RETENTION_DAYS']) || undefined,
    isDebug: environment['RUNNER_DEBUG'] === '1',
  };
}
