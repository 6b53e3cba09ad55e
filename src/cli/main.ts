import { GatelineError } from '../errors/gateline-error.ts';
import { didYouMean } from '../pipeline/problem.ts';
import { VERSION } from '../version.ts';
import { parseArguments } from './arguments.ts';
import type { CommandSpec } from './command.ts';
import { COMMANDS } from './commands.ts';
import { EXIT_CODES, type ExitCode } from './exit-codes.ts';
import { commandHelp, overview } from './help.ts';
import { OTHER_WORDS } from './other-words.ts';
import { reportError } from './output/report-error.ts';
import type { CliWorld } from './world.ts';

/** Runs one command line to the end. Never throws; the answer is the exit code. */
export async function main(world: CliWorld): Promise<ExitCode> {
  try {
    return await dispatch(world);
  } catch (error) {
    return reportError(world, error);
  }
}

async function dispatch(world: CliWorld): Promise<ExitCode> {
  const [first, ...rest] = world.arguments;
  if (first === undefined || first === '--help' || first === '-h' || first === 'help') return help(world, rest);
  if (first === '--version' || first === '-V') {
    world.out.write(`${VERSION}\n`);
    return EXIT_CODES.ok;
  }
  const command = commandNamed(first);
  if (rest.includes('--help') || rest.includes('-h')) {
    world.out.write(commandHelp(command, world.out.columns));
    return EXIT_CODES.ok;
  }
  const parsed = parseArguments(command, rest);
  const { execute } = await command.load();
  return execute({ world, ...parsed });
}

function help(world: CliWorld, names: readonly string[]): ExitCode {
  const [name] = names;
  const { columns } = world.out;
  const isOverview = name === undefined || name.startsWith('-');
  world.out.write(isOverview ? overview(COMMANDS, columns) : commandHelp(commandNamed(name), columns));
  return EXIT_CODES.ok;
}

function commandNamed(name: string): CommandSpec {
  const found = COMMANDS.find((command) => command.name === name);
  if (found !== undefined) return found;
  if (name.startsWith('-')) {
    throw new GatelineError('OPTION_UNKNOWN', `there is no option ${name} before a command`);
  }
  const ours = OTHER_WORDS.get(name);
  if (ours !== undefined) throw new GatelineError('COMMAND_UNKNOWN', `there is no command ${name}`, { hint: ours });
  const meant = didYouMean(
    name,
    COMMANDS.map((command) => command.name),
  );
  const suggestion = meant === undefined ? '' : `; ${meant}`;
  throw new GatelineError('COMMAND_UNKNOWN', `there is no command ${name}${suggestion}`, {
    hint: '`gateline help` lists them.',
  });
}
