import { GatelineError } from '../../errors/gateline-error.ts';
import { GATE_DECISIONS, PERSONS_DECISIONS } from '../../run/records/decision-names.ts';
import type { CommandInvocation, CommandSpec } from '../command.ts';
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
  world.out.write(completionScript(shell, commands.flatMap(withDecisions)));
  return EXIT_CODES.ok;
}

/** Each decision is also a command: `gateline approve GATE`. */
function withDecisions(command: CommandSpec): CommandSpec[] {
  if (command.name !== 'decide') return [command];
  const gate = command.positionals.slice(1);
  const isAboutGate = new Set<string>(GATE_DECISIONS);
  const verbs = PERSONS_DECISIONS.map((name) => {
    const [summary, positionals] = isAboutGate.has(name) ? [`${name} a gate`, gate] : [`${name} a run`, []];
    return { ...command, name, summary, positionals };
  });
  return [command, ...verbs];
}
