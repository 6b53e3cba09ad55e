import { InvalidArgumentError, Option, type Command } from 'commander';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { GatelineError, messageOf } from '../errors.ts';
import type { JsonObject, JsonValue } from '../json/json.ts';
import { parseJson } from '../json/parse-json.ts';
import { RUN_STATUSES, STATUS_PHRASES } from '../run/status.ts';
import { Gateline, type GatelineOptions } from '../gateline.ts';
import type { ProcessContext } from './process-context.ts';

/** A parser of whole numbers of at least `least`. */
export function parseWholeNumber(least: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^[0-9]{1,9}$/.test(text) && number >= least) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${least}.`);
  };
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** A duration such as `30m`, `12h`, `7d` or `2w`, in milliseconds. */
function parseDuration(text: string): number {
  const match = /^([0-9]{1,6})([mhdw])$/.exec(text);
  if (match) return Number(match[1]) * UNITS[match[2]!]!;
  throw new InvalidArgumentError('It must be a duration such as 30m, 12h, 7d or 2w.');
}

/** A time as ISO 8601, or a duration before now, as milliseconds since 1970. */
export function parseTime(text: string): number {
  const time = Date.parse(text);
  if (/^[0-9]{4}-/.test(text) && Number.isFinite(time)) return time;
  try {
    return Date.now() - parseDuration(text);
  } catch {
    throw new InvalidArgumentError(
      'It must be a time such as 2026-11-26 or 2026-11-26T10:00Z, or a duration such as 7d.',
    );
  }
}

/** Collects an option that may be given several times, or with commas. */
export function collectList(text: string, earlier: readonly string[] | undefined): string[] {
  return [
    ...(earlier ?? []),
    ...text
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean),
  ];
}

/** Statuses of runs and of gates. */
export function collectStatuses(text: string, earlier: readonly string[] | undefined): string[] {
  const statuses = collectList(text, earlier);
  const known = [...RUN_STATUSES, ...Object.keys(STATUS_PHRASES)];
  if (statuses.every((status) => known.includes(status))) return statuses;
  throw new InvalidArgumentError(`It must be of ${[...new Set(known)].join(', ')}.`);
}

/** `key=value` pairs. */
function collectPairs(text: string, earlier: JsonObject | undefined): JsonObject {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('It must be key=value.');
  return { ...earlier, [text.slice(0, at)]: parseScalar(text.slice(at + 1)) };
}

/**
 * The value of `key=value`: `true`, `false`, `null` or a number only if JSON prints it exactly as it is written. So
 * `1.10`, `007`, `1e3` and `1234e05` stay texts: versions and ids lose no characters.
 */
export function parseScalar(text: string): JsonValue {
  if (text === 'true' || text === 'false') return text === 'true';
  if (text === 'null') return null;
  const number = Number(text);
  return Number.isFinite(number) && String(number) === text ? number : text;
}

/** Options that select a pipeline, and say what its run is about. */
export interface TargetOptions {
  readonly file?: string;
  readonly subject?: string;
  readonly task?: string;
  readonly metadata?: JsonObject;
  readonly input?: string;
  readonly json?: boolean;
}

/** Adds the option of every command that reads the definition. */
export function addFileOption(command: Command): Command {
  return command.addOption(
    new Option('-f, --file <path>', 'the definition; default: gateline.yml in this folder or above it'),
  );
}

/** Adds the options of every command that works on the runs of a subject. */
export function addTargetOptions(command: Command): Command {
  return addFileOption(command).addOption(
    new Option('-s, --subject <text>', 'what the run is about, part of every request'),
  );
}

/** Adds the options that are part of requests, for commands that look outputs up. */
export function addRequestOptions(command: Command): Command {
  return addTargetOptions(command)
    .addOption(new Option('-t, --task <text>', 'the goal of the run, for every agent'))
    .addOption(
      new Option('-m, --metadata <key=value>', 'a value for agents and conditions; may be repeated').argParser(
        collectPairs,
      ),
    )
    .addOption(new Option('-i, --input <path>', 'a JSON file with the input of the caller; - is standard input'));
}

/** Opens the pipeline that a command works on. */
export async function openGateline(
  context: ProcessContext,
  { file, subject, task, metadata, input }: TargetOptions,
  observe?: GatelineOptions['observe'],
): Promise<Gateline> {
  const { workingDirectory: folder, environment } = context;
  const value = input === undefined ? undefined : await readJsonFile(context, input);
  return Gateline.open({ folder, environment, file, subject, task, metadata, input: value, observe });
}

/** Reads a JSON file; `-` is standard input. */
export async function readJsonFile(context: ProcessContext, path: string): Promise<JsonValue> {
  const read = () =>
    readFile(resolve(context.workingDirectory, path)).catch((cause: unknown) => {
      throw new GatelineError('usage', `${path} cannot be read: ${messageOf(cause)}`, { cause });
    });
  const bytes = path === '-' ? await context.readStandardInput() : await read();
  const parsed = parseJson(bytes);
  if (parsed.ok) return parsed.value;
  const file = path === '-' ? 'standard input' : path;
  throw new GatelineError('usage', parsed.message, { place: { file }, hint: 'It must be one JSON value.' });
}

/** Adds the options for who decides, and why. */
export function addDeciderOptions(command: Command, isReasonRequired: boolean): Command {
  const reason = new Option(
    '-r, --reason <text>',
    `why; shown wherever the decision is${isReasonRequired ? '; required' : ''}`,
  );
  if (isReasonRequired) reason.makeOptionMandatory();
  return command.addOption(reason).addOption(new Option('--actor <name>', "who decides; default: git's user.email"));
}
