/** Where in a text file something is. Lines and columns count from 1. */
export interface Place {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  /** JSON pointer (RFC 6901) into the parsed value. */
  readonly pointer?: string;
}

/** `gateline.yml:12` */
export function placeText({ file, line }: Place): string {
  return line === undefined ? file : `${file}:${line}`;
}

/**
 * Whose fault an error is, which also decides the exit code of the command line: `usage` 2 (the call or the
 * definition), `failed` 1 (a gate did not pass), `busy` 75 (somebody else works here), `platform` 74 (disk, git,
 * GitHub), `bug` 70 (Gateline itself).
 */
export type Fault = 'usage' | 'failed' | 'busy' | 'platform' | 'bug';

export const EXIT_CODES: Readonly<Record<Fault, number>> = { usage: 2, failed: 1, busy: 75, platform: 74, bug: 70 };

export interface ErrorDetails {
  /** What to do about it, in one sentence. */
  readonly hint?: string;
  readonly place?: Place;
  readonly cause?: unknown;
  /** A stable name, if scripts have a reason to compare it. */
  readonly code?: string;
}

/** Every error that Gateline throws on purpose. */
export class GatelineError extends Error {
  override readonly name = 'GatelineError';
  readonly fault: Fault;
  readonly hint: string | undefined;
  readonly place: Place | undefined;
  readonly code: string | undefined;

  constructor(fault: Fault, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.fault = fault;
    this.hint = details.hint;
    this.place = details.place;
    this.code = details.code;
  }
}

/** What a gate or command requires is not valid. */
export class InvalidStateError extends GatelineError {
  readonly details: { readonly missing: readonly string[] };

  constructor(missing: readonly string[], details: ErrorDetails = {}) {
    const names = missing.map((entity) => `'${entity}'`).join(', ');
    super('failed', `Required state ${names} is not valid`, { code: 'STATE_INVALID', ...details });
    this.details = { missing };
  }
}

/** True for an error of the operating system with that code (`ENOENT`, `EEXIST`, …). */
export function isSystemError(error: unknown, code: string): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** The message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The message, and the hint on the next line. */
export function messageWithHint(thrown: unknown): string {
  const hint = thrown instanceof GatelineError ? thrown.hint : undefined;
  return hint === undefined ? messageOf(thrown) : `${messageOf(thrown)}\n${hint}`;
}
