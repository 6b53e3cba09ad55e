import { parseArgs, type ParseArgsConfig } from 'node:util';
import { GatelineError } from '../errors/gateline-error.ts';
import { didYouMean } from '../pipeline/problem.ts';
import type { CommandSpec, OptionSpec, OptionValues } from './command.ts';
import type { ErrorCode } from '../errors/error-codes.ts';

/** Options and positionals of a command. */
export interface ParsedArguments {
  readonly options: OptionValues;
  readonly positionals: readonly string[];
}

/** @throws GatelineError `OPTION_UNKNOWN`, `OPTION_VALUE`, `ARGUMENT_MISSING`, `ARGUMENT_UNEXPECTED` */
export function parseArguments(command: CommandSpec, args: readonly string[]): ParsedArguments {
  const config = { args: [...args], options: configOf(command), allowPositionals: true, strict: false } as const;
  const { values, positionals, tokens } = parseArgs({ ...config, tokens: true });
  const bare: Record<string, string | string[]> = {};
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const option = specOf(command, token);
    if (option.listed && lacksValue(option, token)) bare[option.name] = option.multiple ? [''] : '';
    else refuseWrong(command, option, token);
  }
  const required = command.positionals.filter((one) => one.required).length;
  if (positionals.length < required) {
    const names = command.positionals.slice(positionals.length, required).map((one) => one.name);
    throw wrong(command, 'ARGUMENT_MISSING', `${names.join(' and ')} ${names.length > 1 ? 'are' : 'is'} missing`);
  }
  const isOpen = command.positionals.at(-1)?.multiple === true;
  if (!isOpen && positionals.length > command.positionals.length) {
    throw wrong(command, 'ARGUMENT_UNEXPECTED', `${positionals[command.positionals.length]} is one argument too many`);
  }
  return { options: { ...(values as OptionValues), ...bare }, positionals };
}

function configOf(command: CommandSpec): NonNullable<ParseArgsConfig['options']> {
  return Object.fromEntries(
    command.options.map((option) => [
      option.name,
      {
        type: option.value === undefined ? ('boolean' as const) : ('string' as const),
        ...(option.short !== undefined && { short: option.short }),
        ...(option.multiple && { multiple: true }),
      },
    ]),
  );
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

function specOf(command: CommandSpec, { name, rawName }: OptionToken): OptionSpec {
  const option = command.options.find((one) => one.name === name);
  if (option !== undefined) return option;
  const names = command.options.map((one) => `--${one.name}`);
  const meant = rawName.startsWith('--') ? didYouMean(rawName, names) : undefined;
  throw wrong(command, 'OPTION_UNKNOWN', `there is no option ${rawName}${meant === undefined ? '' : `; ${meant}`}`);
}

/** In `--subject --quiet`, a missing value is more likely than a value that begins with a hyphen. */
function lacksValue(option: OptionSpec, { value, inlineValue }: OptionToken): boolean {
  const isOption = value !== undefined && inlineValue !== true && /^-./.test(value);
  return option.value !== undefined && (value === undefined || isOption);
}

function refuseWrong(command: CommandSpec, option: OptionSpec, token: OptionToken): void {
  if (option.value === undefined && token.value !== undefined)
    throw wrong(command, 'OPTION_VALUE', `${token.rawName} takes no value`);
  if (lacksValue(option, token))
    throw wrong(command, 'OPTION_VALUE', `${token.rawName} needs a value: ${spelled(option)}`);
}

function spelled(option: OptionSpec): string {
  return `--${option.name} ${option.value!} (--${option.name}=${option.value!} where it begins with a dash)`;
}

function wrong(command: CommandSpec, code: ErrorCode, message: string): GatelineError {
  return new GatelineError(code, `gateline ${command.name}: ${message}`, {
    hint: `\`gateline help ${command.name}\` lists its arguments and options.`,
  });
}
