import { parseArgs, type ParseArgsConfig } from 'node:util';
import { GatelineError, messageOf } from '../errors/gateline-error.ts';
import { didYouMean } from '../pipeline/problem.ts';
import type { CommandSpec, OptionValues } from './command.ts';

/** Options and positionals of a command. */
export interface ParsedArguments {
  readonly options: OptionValues;
  readonly positionals: readonly string[];
}

/** @throws GatelineError `OPTION_UNKNOWN`, `OPTION_VALUE`, `ARGUMENT_MISSING`, `ARGUMENT_UNEXPECTED` */
export function parseArguments(command: CommandSpec, args: readonly string[]): ParsedArguments {
  refuseUnknown(command, args);
  const parsed = parse(command, args);
  const required = command.positionals.filter((one) => one.required).length;
  if (parsed.positionals.length < required) {
    throw new GatelineError(
      'user',
      'ARGUMENT_MISSING',
      `gateline ${command.name}: ${command.positionals[parsed.positionals.length]!.name} is missing`,
      seeHelp(command),
    );
  }
  if (parsed.positionals.length > command.positionals.length) {
    throw new GatelineError(
      'user',
      'ARGUMENT_UNEXPECTED',
      `gateline ${command.name}: ${parsed.positionals[command.positionals.length]} is one argument too many`,
      seeHelp(command),
    );
  }
  return parsed;
}

function parse(command: CommandSpec, args: readonly string[]): ParsedArguments {
  const options: NonNullable<ParseArgsConfig['options']> = {};
  for (const option of command.options) {
    options[option.name] = {
      type: option.value === undefined ? 'boolean' : 'string',
      ...(option.short !== undefined && { short: option.short }),
      ...(option.multiple && { multiple: true }),
    };
  }
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
    return { options: values as OptionValues, positionals };
  } catch (cause) {
    throw new GatelineError('user', 'OPTION_VALUE', `gateline ${command.name}: ${messageOf(cause).split('. ')[0]}`, {
      ...seeHelp(command),
      cause,
    });
  }
}

/** Unknown options first, with what may have been meant; `parseArgs` would not suggest anything. */
function refuseUnknown(command: CommandSpec, args: readonly string[]): void {
  const names = command.options.map((option) => `--${option.name}`);
  const { tokens } = parseArgs({ args: [...args], allowPositionals: true, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== 'option' || !token.rawName.startsWith('--') || names.includes(token.rawName)) continue;
    const meant = didYouMean(token.rawName, names);
    throw new GatelineError(
      'user',
      'OPTION_UNKNOWN',
      `gateline ${command.name}: there is no option ${token.rawName}${meant ? `; ${meant}` : ''}`,
      seeHelp(command),
    );
  }
}

function seeHelp(command: CommandSpec): { hint: string } {
  return { hint: `gateline help ${command.name} tells what it takes.` };
}
