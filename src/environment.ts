/**
 * Every environment variable that Gateline reads or sets, in one place. Nothing else in `src` names one. The caller's
 * environment is passed as an argument; nothing here reads `process.env`.
 */

/** The environment as Node provides it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Set for every agent: agent protocol 1, docs/agent-protocol.md. */
export const AGENT_VARIABLES = {
  /** File: the request, JSON. */
  request: 'GATELINE_REQUEST',
  /** File to write the output value to, JSON. */
  output: 'GATELINE_OUTPUT',
  /** File to write metrics to, JSON: model, session, inputTokens, outputTokens, costUsd, tools, mcps, plugins. */
  metrics: 'GATELINE_METRICS',
  /** File to write learnings to, JSON or Markdown. */
  learnings: 'GATELINE_LEARNINGS',
  /** File: the verdict on the previous attempt, JSON; not set on a first attempt. */
  feedback: 'GATELINE_FEEDBACK',
  /** File: a summary of the run before, Markdown; not set unless the gate asks for it and there was one. */
  handoff: 'GATELINE_HANDOFF',
  /** Number of this attempt, from 1. */
  attempt: 'GATELINE_ATTEMPT',
  /** Id of the gate, including its leg if it has one. */
  gate: 'GATELINE_GATE',
  leg: 'GATELINE_LEG',
  /** The goal of the run; not set if there is no task. */
  task: 'GATELINE_TASK',
} as const;

/** Set for a command of `gateline do` that an agent calls: the requests of the agents around it, one per line. */
export const REQUESTS_AROUND = 'GATELINE_REQUESTS_AROUND';

/** Set for the commands of `snapshots.database`: the file to write the database to, or to restore it from. */
export const DATABASE_FILE = 'GATELINE_DATABASE_FILE';

/** Read by the command line. */
export const CLI_VARIABLES = {
  /** https://no-color.org: any value turns colours off. */
  noColor: 'NO_COLOR',
  /** Any value turns colours on without a terminal. */
  forceColor: 'FORCE_COLOR',
  /** Set by CI systems: plain lines instead of live progress. */
  ci: 'CI',
  /** The claim that `gateline begin` printed, for `gateline complete`. */
  token: 'GATELINE_TOKEN',
  /** Printed by `gateline begin`: the folder that the agent is to work in. */
  workspace: 'GATELINE_WORKSPACE',
  /** `dumb`: no cursor movement, so plain lines. */
  terminal: 'TERM',
  /** The user who decides, if neither `--actor` nor git's settings name one. */
  user: 'USER',
  windowsUser: 'USERNAME',
  /** Folder for work trees; overrides `workspace: {trees: …}`. */
  trees: 'GATELINE_TREES',
} as const;

/**
 * Set by the runner for every step, except `ACTIONS_*`.
 * https://docs.github.com/actions/reference/workflows-and-actions/variables#default-environment-variables
 */
export const GITHUB_VARIABLES = {
  repository: 'GITHUB_REPOSITORY',
  runId: 'GITHUB_RUN_ID',
  runNumber: 'GITHUB_RUN_NUMBER',
  runAttempt: 'GITHUB_RUN_ATTEMPT',
  job: 'GITHUB_JOB',
  sha: 'GITHUB_SHA',
  ref: 'GITHUB_REF',
  refName: 'GITHUB_REF_NAME',
  eventName: 'GITHUB_EVENT_NAME',
  /** File: the payload of the webhook, JSON. */
  eventPath: 'GITHUB_EVENT_PATH',
  actor: 'GITHUB_ACTOR',
  /** Who started this run attempt. */
  triggeringActor: 'GITHUB_TRIGGERING_ACTOR',
  serverUrl: 'GITHUB_SERVER_URL',
  apiUrl: 'GITHUB_API_URL',
  /** `owner/name/.github/workflows/file.yml@ref`: of the workflow that was started, not of one that it calls. */
  workflowRef: 'GITHUB_WORKFLOW_REF',
  /** `name` of the workflow that was started, else its file: act sets nothing else. */
  workflow: 'GITHUB_WORKFLOW',
  workspace: 'GITHUB_WORKSPACE',
  /** Folder that the runner empties at the beginning and the end of each job. */
  temp: 'RUNNER_TEMP',
  /** Files that the runner reads after a step has ended. */
  output: 'GITHUB_OUTPUT',
  state: 'GITHUB_STATE',
  summary: 'GITHUB_STEP_SUMMARY',
} as const;

/** Read by the action. */
export const ACTION_VARIABLES = {
  /**
   * Fraction of the usual time limits of calls to GitHub, 0.01 to 1; default 1. For runners that should give up early,
   * and for tests. It only shortens limits: a response that comes too late is treated as missing, and unknown is never
   * absent.
   */
  timeLimits: 'GATELINE_TIME_LIMITS',
} as const;

/** Variables that may contain a token of the step's job. Their values are always redacted, however they were set. */
export const TOKEN_VARIABLES = [
  'ACTIONS_RUNTIME_TOKEN',
  'ACTIONS_ID_TOKEN_REQUEST_TOKEN',
  'GITHUB_TOKEN',
  'GH_TOKEN',
] as const;

/** Prefix that the runner adds to the name of an input (in capitals, spaces as `_`). */
export const INPUT_PREFIX = 'INPUT_';

/**
 * States that the action's main saves for its post step. Main saves each of them before it does anything else: a step
 * before it may set `STATE_*` through `GITHUB_ENV`, and only values saved by main override that.
 */
export const ACTION_STATE = {
  /** `true`: main finished, green or red. `false`: it was interrupted. */
  finished: 'finished',
  /** The token of a claim that may still be open. Empty: there is none. */
  claim: 'claim',
  /** The exit code of the agent that `run` started for that claim. Empty: it has not ended, or not by itself. */
  agentExit: 'agent_exit',
} as const;

/**
 * Removed from the environment that a gate's command inherits: variables that a `run:` step of the same job would not
 * have, and our own. For those that the runner gives only to actions, compare `NodeScriptActionHandler` with
 * `ScriptHandler` in actions/runner. Both set `ACTIONS_ID_TOKEN_REQUEST_*` if the job has `id-token: write`, so those
 * stay.
 */
export const WITHHELD_FROM_AGENTS = /^(?:INPUT_.*|STATE_.*|ACTIONS_(?:RUNTIME|RESULTS|CACHE)_.*|GATELINE_.*)$/;

/** The action that a step runs: empty in a `run:` step. */
export const EMPTY_WITHOUT_ACTION = ['GITHUB_ACTION_REPOSITORY', 'GITHUB_ACTION_REF'] as const;

/** Set for git: messages in one language, no locks for read-only commands, no terminal prompts, no replaced objects. */
export const GIT_SETTINGS = {
  LC_ALL: 'C',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_REPLACE_OBJECTS: '1',
} as const;

/**
 * git's own variables that are passed on: where settings come from and how far up it searches. All others are removed,
 * since variables such as `GIT_DIR` and `GIT_INDEX_FILE` (set in hooks, for example) would point it at another
 * repository.
 */
export const KEPT_FOR_GIT = /^GIT_(?:CONFIG_.*|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM|EXEC_PATH|LFS_.*)$/;

/** Where git finds settings and passwords of the user, and how it is given settings that are in no file. */
const OWN_GIT_VARIABLES = {
  home: 'HOME',
  config: 'XDG_CONFIG_HOME',
  global: 'GIT_CONFIG_GLOBAL',
  count: 'GIT_CONFIG_COUNT',
  key: 'GIT_CONFIG_KEY_',
  value: 'GIT_CONFIG_VALUE_',
} as const;

/** What may lead git to programs or settings of the caller. */
const OF_THE_CALLER = /^(?:GIT|SSH)_/i;

/** An environment without variables of these names, for example the secrets of gates. */
export function withoutNamed(environment: Environment, names: Iterable<string>): Environment {
  const left = new Set(names);
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !left.has(name)));
}

/** The caller's environment without anything that is about git. */
export function withoutGit(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !OF_THE_CALLER.test(name)));
}

/**
 * Variables that give git these settings and keep those of the user from it, and their `.netrc`. What is set for the
 * whole machine (proxy, certificates) applies. Needs git 2.31; an older one ignores the settings.
 * @param nowhere a path without a file
 */
export function ownGitSettings(
  settings: readonly (readonly [string, string])[],
  nowhere: string,
): Record<string, string> {
  const { home, config, global, count, key, value } = OWN_GIT_VARIABLES;
  const given = settings.flatMap(([name, one], index) => [[key + index, name] as const, [value + index, one] as const]);
  const places = { [home]: nowhere, [config]: nowhere, [global]: nowhere };
  return { ...places, [count]: String(settings.length), ...Object.fromEntries(given) };
}

/**
 * How far up git searches for a repository: `:`-separated folders. Set for agents, so that git finds none above their
 * work tree.
 */
export const GIT_CEILING = 'GIT_CEILING_DIRECTORIES';

/** The output of `git rev-parse --local-env-vars`: variables that tie git to one repository, as set in its hooks. */
export const GIT_LOCAL_VARIABLES: ReadonlySet<string> = new Set([
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_COMMON_DIR',
  'GIT_CONFIG',
  'GIT_CONFIG_COUNT',
  'GIT_CONFIG_PARAMETERS',
  'GIT_DIR',
  'GIT_GRAFT_FILE',
  'GIT_IMPLICIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_INTERNAL_SUPER_PREFIX',
  'GIT_NO_REPLACE_OBJECTS',
  'GIT_OBJECT_DIRECTORY',
  'GIT_PREFIX',
  'GIT_REPLACE_REF_BASE',
  'GIT_SHALLOW_FILE',
  'GIT_WORK_TREE',
]);

/** Paths, or lists of them, for finding programs and libraries; names in capitals, since on Windows it is `Path`. */
export const PATH_LISTS: ReadonlySet<string> = new Set(['PATH', 'VIRTUAL_ENV', 'PYTHONPATH', 'NODE_PATH', 'INIT_CWD']);

/** Where programs look for the user's settings. */
export const CONFIG_FOLDER_VARIABLE = 'XDG_CONFIG_HOME';

/** Where programs store files that they can recreate. */
export const CACHE_FOLDER_VARIABLES = { xdg: 'XDG_CACHE_HOME', windows: 'LOCALAPPDATA', home: 'HOME' } as const;

/**
 * GitHub's cache. The first three are read; all are set for the process that saves an entry with GitHub's own client.
 */
export const CACHE_VARIABLES = {
  /** Where artifacts and caches are stored; set only for actions. */
  resultsUrl: 'ACTIONS_RESULTS_URL',
  /** The credential for them, for this job; set only for actions. */
  runtimeToken: 'ACTIONS_RUNTIME_TOKEN',
  /** `cache-mode` of the workflow or job: `none`, `read`, `write` or `write-only`. */
  mode: 'ACTIONS_CACHE_MODE',
  /** Any value: the second-generation service. */
  service2: 'ACTIONS_CACHE_SERVICE_V2',
  /** More lines in the log; never set for that process. */
  debug: 'RUNNER_DEBUG',
  /** For the tar of macOS: no metadata files. */
  copyfile: 'COPYFILE_DISABLE',
} as const;
