import { GatelineError, messageOf } from '../errors/gateline-error.ts';
import { didYouMean } from '../pipeline/problem.ts';
import { parseArguments } from './arguments.ts';
import type { CommandSpec } from './command.ts';
import { COMMANDS } from './commands.ts';
import { EXIT_CODES, type ExitCode } from './exit-codes.ts';
import { commandHelp, overview } from './help.ts';
import type { CliWorld } from './world.ts';

/** Runs one command line to the end. Never throws; the answer is the exit code. */
export async function main(world: CliWorld): Promise<ExitCode> {
  try {
    return await dispatch(world);
  } catch (error) {
    return report(world, error);
  }
}

async function dispatch(world: CliWorld): Promise<ExitCode> {
  const [first, ...rest] = world.arguments;
  if (first === undefined || first === '--help' || first === '-h' || first === 'help') return help(world, rest);
  if (first === '--version' || first === '-V') return version(world);
  const command = commandNamed(first);
  if (rest.includes('--help') || rest.includes('-h')) {
    world.out.write(commandHelp(command));
    return EXIT_CODES.ok;
  }
  const parsed = parseArguments(command, rest);
  const { execute } = await command.load();
  return execute({ world, ...parsed });
}

function help(world: CliWorld, names: readonly string[]): ExitCode {
  const [name] = names;
  world.out.write(name === undefined || name.startsWith('-') ? overview(COMMANDS) : commandHelp(commandNamed(name)));
  return EXIT_CODES.ok;
}

async function version(world: CliWorld): Promise<ExitCode> {
  const { VERSION } = await import('../version.ts');
  world.out.write(`${VERSION}\n`);
  return EXIT_CODES.ok;
}

function commandNamed(name: string): CommandSpec {
  const found = COMMANDS.find((command) => command.name === name);
  if (found !== undefined) return found;
  const meant = didYouMean(
    name,
    COMMANDS.map((command) => command.name),
  );
  throw new GatelineError(
    'user',
    'COMMAND_UNKNOWN',
    `there is no command ${name}${meant === undefined ? '' : `; ${meant}`}`,
    {
      hint: 'gateline help lists them.',
    },
  );
}

/** Tells an error on stderr (as JSON on stdout too with --json) and chooses the exit code by whose fault it is. */
export function report(world: CliWorld, error: unknown): ExitCode {
  const known = error instanceof GatelineError ? error : undefined;
  const code = known?.code ?? 'INTERNAL';
  const message = messageOf(error);
  if (world.arguments.includes('--json')) {
    const { hint, place, fault } = known ?? {};
    world.out.write(
      `${JSON.stringify({ format: 'gateline-error/1', code, fault: fault ?? 'gateline', message, hint, place }, null, 2)}\n`,
    );
  }
  world.err.write(`gateline: ${code}: ${message}\n`);
  if (known?.hint !== undefined) world.err.write(`  ${known.hint}\n`);
  if (known === undefined && error instanceof Error)
    world.err.write(`${error.stack ?? ''}\nThis is a bug in Gateline. Please report it with the lines above.\n`);
  return exitCodeOf(known);
}

const BUSY = new Set(['ENGINE_BUSY', 'GATE_CLAIMED']);

function exitCodeOf(error: GatelineError | undefined): ExitCode {
  if (error === undefined || error.fault === 'gateline') return EXIT_CODES.internal;
  if (BUSY.has(error.code)) return EXIT_CODES.busy;
  if (error.fault === 'platform') return EXIT_CODES.platform;
  return error.fault === 'agent' ? EXIT_CODES.gateFailed : EXIT_CODES.usage;
}
