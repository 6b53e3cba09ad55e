import { GatelineError } from '../errors/gateline-error.ts';
import type { CliWorld } from './world.ts';
import type { ExitCode } from './exit-codes.ts';

/** One option of a command, as help shows it and the parser knows it. */
export interface OptionSpec {
  readonly name: string;
  readonly short?: string;
  /** Name of its value in help (`FILE`); absent for a switch. */
  readonly value?: string;
  readonly multiple?: boolean;
  /** Without a value it is an empty text: the command then lists what there is to choose from. */
  readonly listed?: boolean;
  readonly help: string;
}

/** Parsed options: switches are `true`, values are texts, repeatable options are lists. */
export type OptionValues = Readonly<Record<string, string | true | readonly string[] | undefined>>;

/** One command of the command line. */
export interface CommandSpec {
  readonly name: string;
  /** One line in the list of commands. */
  readonly summary: string;
  /** Positional arguments in help: `GATE`, `[GATE]`. */
  readonly positionals: readonly {
    readonly name: string;
    readonly required: boolean;
    readonly help: string;
    /** Only of the last one. */
    readonly multiple?: true;
    /** What it can be, where that is a list: shells complete it. */
    readonly words?: readonly string[];
  }[];
  readonly options: readonly OptionSpec[];
  /** What it does and how, for `gateline help <command>`; plain text in paragraphs. */
  readonly description: string;
  readonly examples: readonly { readonly command: string; readonly what: string }[];
  /** Loads the command's code, so that the command list does not load heavy libraries. */
  readonly load: () => Promise<{ readonly execute: (invocation: CommandInvocation) => Promise<ExitCode> }>;
}

/** A command with its arguments. */
export interface CommandInvocation {
  /** The command's name. */
  readonly command: string;
  readonly world: CliWorld;
  readonly options: OptionValues;
  readonly positionals: readonly string[];
  /** All commands, for the one that completes their names: it cannot import the list that loads it. */
  readonly commands: readonly CommandSpec[];
  /** What the command opened and is to be closed when it has ended, however it ends. */
  readonly closing: AsyncDisposable[];
}

/** The text of an option; `undefined` if it is not set. */
export function textOption(options: OptionValues, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}

/**
 * The text of an option that goes into a record. @throws GatelineError `OPTION_VALUE` if it has more than `most`
 * characters
 */
export function recordedOption(options: OptionValues, name: string, most: number): string | undefined {
  const text = textOption(options, name);
  if (text === undefined || text.length <= most) return text;
  throw new GatelineError('OPTION_VALUE', `--${name} has ${text.length} characters; at most ${most} are kept`, {
    hint: 'Write a shorter text.',
  });
}

/** The texts of a repeatable option. */
export function listOption(options: OptionValues, name: string): readonly string[] {
  const value = options[name];
  return Array.isArray(value) ? (value as readonly string[]) : [];
}
