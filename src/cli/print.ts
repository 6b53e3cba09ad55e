import type { Command } from 'commander';
import { EXIT_CODES, GatelineError, type Place } from '../errors.ts';
import { ansi, plain, type Paint, type Screen } from '../report/table.ts';
import { forTerminal } from '../untrusted/escape.ts';
import type { OutputStream, ProcessContext } from './process-context.ts';

/** The result of a command: printed as text, or with `--json` as one document. */
export interface Answer {
  readonly json: unknown;
  readonly text: string;
  /** Exit code. Default: 0. */
  readonly exit?: number;
}

/** Sets the action of a command. `work` receives its options, then its arguments. */
export type AddAction = <Options>(
  command: Command,
  work: (options: Options, ...words: string[]) => Promise<Answer>,
) => Command;

export function paintOf(stream: OutputStream): Paint {
  return stream.hasColors ? ansi : plain;
}

/** Width and colors of tables on a stream. */
export function screenOf(stream: OutputStream): Screen {
  return { paint: paintOf(stream), width: stream.columns };
}

export function printAnswer({ out }: ProcessContext, { json, text }: Answer, asJson: boolean): void {
  const lines = asJson ? JSON.stringify(json, null, 2) : text;
  if (lines !== '') out.write(lines.endsWith('\n') ? lines : `${lines}\n`);
}

/** Prints an error to stderr; with `--json` as a document to stdout too. @returns the exit code */
export function printError({ out, err }: ProcessContext, thrown: unknown, asJson: boolean): number {
  const error = asGatelineError(thrown);
  const { fault, message, hint, place, code } = error;
  if (asJson) out.write(`${JSON.stringify({ error: { fault, message, hint, place, code } }, null, 2)}\n`);
  err.write(errorText(error, paintOf(err)));
  return EXIT_CODES[fault];
}

/** Prints an error of the start, without colors. @returns the exit code */
export function printStartError(thrown: unknown): number {
  const error = asGatelineError(thrown);
  process.stderr.write(errorText(error, plain));
  return EXIT_CODES[error.fault];
}

function asGatelineError(thrown: unknown): GatelineError {
  if (thrown instanceof GatelineError) return thrown;
  const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  return new GatelineError('bug', text, {
    hint: 'This is a bug of Gateline: please report it with these lines.',
    cause: thrown,
  });
}

function errorText({ message, hint, place }: GatelineError, paint: Paint): string {
  const where = place === undefined || message.startsWith(place.file) ? '' : `${placeText(place)}: `;
  const lines = [`${paint('bad', 'error')}: ${where}${forTerminal(message)}`];
  if (hint !== undefined) lines.push(`${paint('quiet', 'hint')}: ${forTerminal(hint)}`);
  return `${lines.join('\n')}\n`;
}

function placeText({ file, line, column }: Place): string {
  return [file, line, column].filter((part) => part !== undefined).join(':');
}
