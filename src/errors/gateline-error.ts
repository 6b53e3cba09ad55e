import type { CodeOrigin, Fault } from './code-meaning.ts';
import { meaningOf, type ErrorCode } from './error-codes.ts';

/** Where in a text file an error is. Lines and columns count from 1. */
export interface Place {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  /** JSON pointer (RFC 6901) into the parsed value, if there is one. */
  readonly pointer?: string;
}

/** Data for a {@link GatelineError}. */
export interface ErrorDetails {
  /** What to do about it, as one sentence to the reader. Default: the catalogue's remedy for the code. */
  readonly hint?: string | undefined;
  /** Default: that of the code. */
  readonly fault?: Fault;
  readonly place?: Place;
  readonly cause?: unknown;
}

/**
 * Every error that Gateline throws on purpose. `code` is stable (SCREAMING_SNAKE_CASE) and listed in
 * {@link file://./error-codes.ts}; the message is for people and may change.
 */
export class GatelineError extends Error {
  override readonly name = 'GatelineError';
  readonly code: ErrorCode;
  readonly fault: Fault;
  readonly hint: string;
  /** The title of its annotation, if the code has one. */
  readonly title: string | undefined;
  readonly place: Place | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    const meaning = meaningOf(code);
    this.code = code;
    this.fault = details.fault ?? meaning.from.find(isFault) ?? 'gateline';
    this.hint = details.hint ?? meaning.remedy;
    this.title = meaning.title;
    this.place = details.place;
  }
}

function isFault(origin: CodeOrigin): origin is Fault {
  return origin !== 'definition' && origin !== 'contract' && origin !== 'state';
}

/** True for an error of the operating system with that code (`ENOENT`, `EEXIST`, …). */
export function isSystemError(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** True if no space was left for writing, on the disk or in the user's quota; also checks causes. */
export function isDiskFull(error: unknown): boolean {
  if (isSystemError(error, 'ENOSPC') || isSystemError(error, 'EDQUOT')) return true;
  return error instanceof GatelineError && error.cause !== undefined && isDiskFull(error.cause);
}

/**
 * The first error, if releasing a resource (`using`) failed afterwards too. Recognized by its shape: Node has the class
 * `SuppressedError` only from version 24 on.
 */
export function firstThrown(thrown: unknown): unknown {
  const both = thrown instanceof Error && thrown.name === 'SuppressedError' && 'suppressed' in thrown;
  return both ? firstThrown(thrown.suppressed) : thrown;
}

/** The message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
