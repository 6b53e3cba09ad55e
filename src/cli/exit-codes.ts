/**
 * Exit codes of `gateline`, documented in docs/reference/cli.md. Codes above 63 follow sysexits.h if it has one that
 * fits.
 */
export const EXIT_CODES = {
  ok: 0,
  gateFailed: 1,
  usage: 2,
  paused: 3,
  internal: 70,
  platform: 74,
  busy: 75,
  interrupted: 130,
} as const;

/** Errors of the user that end with `busy`: the same command succeeds later. */
export const BUSY_ERRORS: ReadonlySet<string> = new Set([
  'ENGINE_BUSY',
  'GATE_CLAIMED',
  'CLAIM_IN_PLACE',
  'ENTITY_BUSY',
]);

/** Errors of the user that end with `paused`: the same command succeeds once there is more money. */
export const PAUSED_ERRORS: ReadonlySet<string> = new Set(['BUDGET_EXCEEDED']);

/** Errors of the user that end with `gateFailed`: files that conflict, as in `apply`, and what a command lacks. */
export const CONFLICT_ERRORS: ReadonlySet<string> = new Set(['ROLLBACK_CONFLICT', 'STATE_INVALID']);

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];

/** Exit codes of several runs, the most important first. */
const WORST_FIRST: readonly ExitCode[] = [
  EXIT_CODES.internal,
  EXIT_CODES.interrupted,
  EXIT_CODES.busy,
  EXIT_CODES.usage,
  EXIT_CODES.platform,
  EXIT_CODES.gateFailed,
  EXIT_CODES.paused,
];

/** The exit code of a call for several runs; that of none is `ok`. */
export function worstOf(codes: readonly ExitCode[]): ExitCode {
  return WORST_FIRST.find((code) => codes.includes(code)) ?? EXIT_CODES.ok;
}

/** The meaning of each exit code: short for help, in full for the reference. */
export const EXIT_MEANINGS: Readonly<
  Record<keyof typeof EXIT_CODES, { readonly short: string; readonly long: string }>
> = {
  ok: {
    short: 'done',
    long: 'Every requested gate is done. With `--gate` and `--until`, only those gates; with `--max-gates`, those that could start.',
  },
  gateFailed: {
    short: 'a gate failed, or files conflict',
    long: 'A gate failed, is partial, lost or blocked. Fix it and run the same command again. From `apply` and `rollback`, also with `--dry-run`: files conflict. From `compile --check`: the workflow is not up to date. From `doctor`: something is wrong. From `do`: the command failed, or an entity that it requires is not valid; from `entities check`: one is not.',
  },
  usage: {
    short: 'the definition, an option or an input is wrong',
    long: 'The definition, an option or an input is wrong. Nothing ran, or not every gate.',
  },
  paused: {
    short: 'waiting',
    long: 'The run waits for an approval, or for an agent that runs by itself: to be begun (`gateline begin`), or to be completed; or its budget leaves too little for the next gate.',
  },
  internal: { short: 'a bug', long: 'A bug in Gateline (EX_SOFTWARE). Please report the output.' },
  platform: {
    short: 'disk or git failed',
    long: 'Disk, git or another service failed (EX_IOERR). Earlier records are kept.',
  },
  busy: {
    short: 'another process is running',
    long: 'Another engine holds the workspace, the gate to `begin` is claimed, an agent works in the folder that `apply` is to change, or another command uses an entity (EX_TEMPFAIL). Try again later.',
  },
  interrupted: {
    short: 'interrupted',
    long: 'Stopped by Ctrl-C, SIGTERM or SIGHUP, after the agents were stopped and recorded. The run can continue.',
  },
};
