/**
 * Exit codes of `gateline`, documented in docs/reference/cli.md. Those above 63 follow sysexits.h, where it has
 * one that fits.
 */
export const EXIT_CODES = {
  /** Everything asked for is done. */
  ok: 0,
  /** A gate failed, is partial, lost or blocked: the run is in `error`. */
  gateFailed: 1,
  /** The definition, an option or an input is wrong: nothing was run, or not all. */
  usage: 2,
  /** The run waits: for an approval, or for an agent that runs by itself. */
  paused: 3,
  /** A bug of ours (EX_SOFTWARE). */
  internal: 70,
  /** Disk, git or another service failed (EX_IOERR). */
  platform: 74,
  /** Somebody else works here: another engine holds the workspace, or a gate is claimed (EX_TEMPFAIL). Try again later. */
  busy: 75,
  /** Ended by Ctrl-C; the run can go on. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];
