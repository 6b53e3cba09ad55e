import { GatelineError } from '../errors/gateline-error.ts';
import { didYouMean } from '../pipeline/problem.ts';
import { VERSION } from '../version.ts';
import { parseArguments } from './arguments.ts';
import type { CommandSpec } from './command.ts';
import { COMMANDS } from './commands.ts';
import { PERSONS_DECISIONS } from '../run/records/decision-names.ts';
import { EXIT_CODES, type ExitCode } from './exit-codes.ts';
import { commandHelp, overview } from './help.ts';
import { reportError } from './output/report-error.ts';
import type { CliWorld } from './world.ts';

/** Runs one command line to the end. Never throws; returns the exit code. */
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
  const isVerb = PERSONS_DECISIONS.some((word) => word === first);
  const command = isVerb ? commandNamed('decide') : commandNamed(first);
  if (rest.includes('--help') || rest.includes('-h')) {
    world.out.write(commandHelp(command, world.out.columns));
    return EXIT_CODES.ok;
  }
  const parsed = parseArguments(command, isVerb ? [first, ...rest] : rest);
  const { execute } = await command.load();
  const closing: AsyncDisposable[] = [];
  try {
    return await execute({ world, command: command.name, commands: COMMANDS, closing, ...parsed });
  } finally {
    for (const one of closing) await one[Symbol.asyncDispose]();
  }
}

function help(world: CliWorld, names: readonly string[]): ExitCode {
  const [name] = names;
  const { columns } = world.out;
  const isOverview = name === undefined || name.startsWith('-');
  const about = PERSONS_DECISIONS.some((word) => word === name) ? 'decide' : name;
  world.out.write(isOverview ? overview(COMMANDS, columns) : commandHelp(commandNamed(about!), columns));
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

const RUN = '`gateline run` continues from where the run stopped, and runs failed gates again.';
const LOGS = "`gateline logs GATE` prints the agent's output.";
const HISTORY = '`gateline history` lists earlier runs, `gateline status --run N` shows one of them.';

const ROLLBACK =
  '`gateline rollback --to GATE` restores what that gate left, `gateline rollback --all` what the run found; `--dry-run` shows the change.';

/** Commands of other tools and their Gateline equivalents, as whole sentences. */
const OTHER_WORDS: ReadonlyMap<string, string> = new Map([
  ['continue', RUN],
  ['retry', RUN],
  ['rerun', RUN],
  ['restart', RUN],
  ['start', '`gateline run` runs the pipeline; `gateline begin GATE` begins a gate whose agent runs by itself.'],
  ['undo', ROLLBACK],
  ['revert', ROLLBACK],
  ['restore', ROLLBACK],
  ['log', LOGS],
  ['runs', HISTORY],
  ['list', '`gateline status` lists the gates, `gateline status --subjects` the subjects that have runs.'],
  ['ls', '`gateline status` lists the gates, `gateline status --subjects` the subjects that have runs.'],
  ['dry-run', '`gateline plan` shows what a run would do, and why.'],
  ['check', '`gateline validate` checks the definition and every contract.'],
  ['lint', '`gateline validate` checks the definition and every contract.'],
  ['version', '`gateline --version` prints it.'],
]);
