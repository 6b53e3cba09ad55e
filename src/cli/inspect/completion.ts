import { GatelineError } from '../../errors/gateline-error.ts';
import type { CommandInvocation } from '../command.ts';
import { DECISION_COMMANDS } from '../decide-command.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { completionScript, SHELLS } from './completion-scripts.ts';

/** `gateline completion SHELL`: prints the script that the shell loads. */
export async function execute({ world, positionals, commands }: CommandInvocation): Promise<ExitCode> {
  const [name = ''] = positionals;
  const shell = SHELLS.find((one) => one === name);
  if (shell === undefined) {
    throw new GatelineError('OPTION_VALUE', `there is no completion for ${name}`, {
      hint: `Shells: ${SHELLS.join(', ')}.`,
    });
  }
  world.out.write(completionScript(shell, [...commands, ...DECISION_COMMANDS]));
  return EXIT_CODES.ok;
}
