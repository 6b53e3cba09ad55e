import '../configure-zod.ts';
import { Command, CommanderError } from 'commander';
import { EXIT_CODES, GatelineError } from '../errors.ts';
import { VERSION } from '../version.ts';
import { addDecisionCommands } from './commands/decisions.ts';
import { addEntityCommands } from './commands/entities.ts';
import { addExchangeCommands } from './commands/exchange.ts';
import { addFileCommands } from './commands/files.ts';
import { addFolderCommands } from './commands/folder.ts';
import { addLoopCommand } from './commands/loop.ts';
import { addMemoryCommands } from './commands/memory.ts';
import { addProjectCommands } from './commands/project.ts';
import { addRunCommands } from './commands/run.ts';
import { addShowCommands } from './commands/show.ts';
import { printAnswer, printError, type AddAction } from './print.ts';
import type { ProcessContext } from './process-context.ts';

/** Runs one command. @returns the exit code */
export async function main(context: ProcessContext): Promise<number> {
  let exit = 0;
  const program = createProgram(context, (code) => (exit = code));
  try {
    await program.parseAsync(context.arguments, { from: 'user' });
    return exit;
  } catch (error) {
    if (!(error instanceof CommanderError)) return printError(context, error, false);
    // The help of a command without a subcommand is printed already.
    if (error.exitCode === 0 || error.code === 'commander.help') return error.exitCode === 0 ? 0 : EXIT_CODES.usage;
    return printError(context, toUsageError(error), context.arguments.includes('--json'));
  }
}

/** All commands, with their options. @param end called with the exit code of a command */
export function createProgram(context: ProcessContext, end: (exit: number) => void): Command {
  /** The only place that prints results and errors, as text or as one JSON document. */
  const addAction: AddAction = (command, work) =>
    command.option('--json', 'print one JSON document').action(async (...parameters: unknown[]) => {
      const options = parameters.at(-2) as { json?: boolean };
      const words = parameters.slice(0, -2) as never[];
      try {
        const result = await work(options as never, ...words);
        printAnswer(context, result, options.json === true);
        end(result.exit ?? 0);
      } catch (error) {
        end(printError(context, error, options.json === true));
      }
    });

  const program = new Command('gateline')
    .description(
      'Checks the output of each agent of a pipeline before the next one starts, and continues a run from where it stopped.',
    )
    .version(VERSION)
    .showSuggestionAfterError()
    .enablePositionalOptions()
    .configureOutput({
      writeOut: (text) => context.out.write(text),
      writeErr: (text) => context.err.write(text),
      // `main` prints it: the error is thrown too.
      outputError: () => undefined,
      getOutHelpWidth: () => context.out.columns ?? 100,
    })
    .configureHelp({ showGlobalOptions: false })
    .addHelpText(
      'after',
      `\nExit codes: 0 done, 1 a gate did not pass, 2 usage or definition, 70 a bug,\n74 disk, git or network, 75 somebody else works here, 130 interrupted.`,
    )
    .exitOverride();
  addProjectCommands(context, program, addAction);
  addRunCommands(context, program, addAction);
  addShowCommands(context, program, addAction);
  addFileCommands(context, program, addAction);
  addDecisionCommands(context, program, addAction);
  addFolderCommands(context, program, addAction);
  addExchangeCommands(context, program, addAction);
  addEntityCommands(context, program, addAction);
  addMemoryCommands(context, program, addAction);
  addLoopCommand(context, program, addAction);
  return program;
}

/** `error: unknown option '--jsonn'`, and in a second line `(Did you mean --json?)`. */
function toUsageError({ message }: CommanderError): GatelineError {
  const [text, hint] = message.replace(/^error: /, '').split(/\n\((.*)\)$/);
  return new GatelineError('usage', text!, { hint });
}
