/**
 * Every environment variable that Gateline reads or sets, in one place. Nothing else in `src` names one.
 * What the caller's environment holds arrives as an argument; nothing here reads `process.env`.
 */

/** The environment as Node gives it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Given to every agent: agent protocol 1, docs/agent-protocol.md. */
export const AGENT_VARIABLES = {
  /** File: the request, JSON. */
  request: 'GATELINE_REQUEST',
  /** File to write the output value to, JSON. */
  output: 'GATELINE_OUTPUT',
  /** File to write metrics to, JSON: model, inputTokens, outputTokens, costUsd, tools, mcps. */
  metrics: 'GATELINE_METRICS',
  /** File to write learnings to, JSON or Markdown. */
  learnings: 'GATELINE_LEARNINGS',
  /** File: the verdict on the attempt before, JSON; the variable is not set on a first attempt. */
  feedback: 'GATELINE_FEEDBACK',
  /** Number of this attempt, from 1. */
  attempt: 'GATELINE_ATTEMPT',
  /** Id of the gate, and of its leg where it has one. */
  gate: 'GATELINE_GATE',
  leg: 'GATELINE_LEG',
} as const;

/** Read by the command line. */
export const CLI_VARIABLES = {
  /** https://no-color.org: any value turns colours off. */
  noColor: 'NO_COLOR',
  /** Any value turns colours on where there is no terminal. */
  forceColor: 'FORCE_COLOR',
  /** Set by CI systems: plain lines instead of live progress. */
  ci: 'CI',
  /** The claim that `gateline begin` printed, for `gateline complete`. */
  token: 'GATELINE_TOKEN',
  /** `dumb`: no cursor movement, so plain lines. */
  terminal: 'TERM',
  /** Who decides, when `--actor` is not given. */
  user: 'USER',
  windowsUser: 'USERNAME',
} as const;

/** Taken out of what a gate's command inherits: the runner's own, which a `run:` step would not have. */
export const WITHHELD_FROM_AGENTS = /^(?:INPUT_.*|STATE_.*|ACTIONS_(?:RUNTIME|RESULTS|CACHE|ID_TOKEN)_.*|GATELINE_.*)$/;

/** Set for git: answers in one language, no lock taken for a mere look, no question on the terminal. */
export const GIT_SETTINGS = { LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0' } as const;

/**
 * git's own variables that reach it: where settings come from and how far up it looks. All others are taken
 * out, since `GIT_DIR`, `GIT_INDEX_FILE` and the like (set in hooks, for one) would point it at another repository.
 */
export const KEPT_FOR_GIT = /^GIT_(?:CONFIG_.*|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM|EXEC_PATH|LFS_.*)$/;
