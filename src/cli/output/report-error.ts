import { firstThrown, GatelineError, messageOf, type Place } from '../../errors/gateline-error.ts';
import { InvalidStateError } from '../../errors/invalid-state-error.ts';
import type { Problem } from '../../pipeline/problem.ts';
import { forTerminal } from '../../untrusted/escape.ts';
import { BUSY_ERRORS, CONFLICT_ERRORS, EXIT_CODES, PAUSED_ERRORS, type ExitCode } from '../exit-codes.ts';
import { ProblemsError } from '../../local/pipeline-invalid.ts';
import { printJson } from './print-json.ts';
import { say } from './say.ts';
import type { CliWorld } from '../world.ts';

/** Reports an error on stderr (with `--json` also as JSON on stdout) and chooses the exit code by the error's fault. */
export function reportError(world: CliWorld, thrown: unknown): ExitCode {
  const error = firstThrown(thrown);
  const known = error instanceof GatelineError ? error : undefined;
  if (world.arguments.includes('--json')) printJson(world, errorJson(error));
  if (known === undefined) {
    const stack = error instanceof Error ? (error.stack ?? '') : '';
    say(world.err, `gateline: INTERNAL: ${safe(messageOf(error))}`);
    world.err.write(`${safe(stack)}\n`);
    say(world.err, 'This is a bug in Gateline. Please report it with the lines above.');
    return EXIT_CODES.internal;
  }
  for (const line of errorLines(known)) say(world.err, line);
  return exitCodeOfError(known);
}

/** An error as lines for a terminal: what, where, and how to fix it. */
export function errorLines(error: GatelineError): string[] {
  const { code, message, hint, place } = error;
  const lines = [];
  if (error instanceof ProblemsError) lines.push(...safe(message).split('\n'));
  else {
    const where = place?.line === undefined ? '' : `${place.file}:${place.line}:${place.column ?? 1} `;
    lines.push(`gateline: ${safe(where)}${code}: ${safe(message)}`);
    if (where === '' && place !== undefined && !message.includes(place.file))
      lines.push(`  in ${safe(place.file)}${place.pointer === undefined ? '' : ` at ${safe(place.pointer)}`}`);
  }
  return [...lines, `  ${safe(hint)}`];
}

/** `gateline-error/1`; see docs/reference/json-output.md. */
function errorJson(error: unknown): object {
  const known = error instanceof GatelineError ? error : undefined;
  return {
    format: 'gateline-error/1',
    code: known?.code ?? 'INTERNAL',
    fault: known?.fault ?? 'gateline',
    message: messageOf(error),
    hint: known?.hint ?? null,
    place: known?.place === undefined ? null : placeJson(known.place),
    ...(error instanceof InvalidStateError && { details: error.details }),
    problems: error instanceof ProblemsError ? [...error.problems, ...error.contracts].map(problemJson) : [],
  };
}

/** A problem of a definition or a contract, for programs; `null` for absent values. */
export function problemJson(problem: {
  readonly severity?: Problem['severity'];
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly place?: Place | undefined;
}): object {
  const { severity = 'error', code, message, hint = null, place } = problem;
  return { severity, code, message, hint, place: place === undefined ? null : placeJson(place) };
}

function placeJson({ file, line = null, column = null, pointer = null }: Nullable<Place>): object {
  return { file, line, column, pointer };
}

type Nullable<T> = { readonly [K in keyof T]: T[K] | null };

/** The exit code of an error. */
export function exitCodeOfError(error: GatelineError): ExitCode {
  if (BUSY_ERRORS.has(error.code)) return EXIT_CODES.busy;
  if (PAUSED_ERRORS.has(error.code)) return EXIT_CODES.paused;
  if (CONFLICT_ERRORS.has(error.code)) return EXIT_CODES.gateFailed;
  switch (error.fault) {
    case 'gateline':
      return EXIT_CODES.internal;
    case 'platform':
      return EXIT_CODES.platform;
    case 'agent':
      return EXIT_CODES.gateFailed;
    case 'user':
      return EXIT_CODES.usage;
  }
}

/**
 * Messages quote files, options and agents: terminals must not interpret control characters in them, and GitHub's
 * runner no command.
 */
function safe(text: string): string {
  return forTerminal(text)
    .replaceAll('##[', '## [')
    .replaceAll(/^(\s*:):/gm, '$1 :');
}
