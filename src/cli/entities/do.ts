import { planCommand, runCommand, type CommandRan, type PlannedCommand } from '../../engine/commands/run-command.ts';
import type { EngineEvent } from '../../engine/ports.ts';
import { loadAround } from './around.ts';
import { oneLine } from '../../report/text.ts';
import { forTerminal } from '../../untrusted/escape.ts';
import { shellWord } from '../../untrusted/shell-word.ts';
import { failureText } from '../../verdict/verdict.ts';
import { listOption, type CommandInvocation } from '../command.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { printJson } from '../output/print-json.ts';
import { noticesTo, say } from '../output/say.ts';
import { argumentsGiven } from './arguments-given.ts';
import { patiently } from './patiently.ts';
import { open } from '../project/open.ts';
import type { CliWorld } from '../world.ts';

/** `gateline do COMMAND`: runs a command of the definition. */
export async function execute(invocation: CommandInvocation): Promise<ExitCode> {
  const { world, options, positionals } = invocation;
  const command = positionals[0]!;
  const given = argumentsGiven(listOption(options, 'arg'));
  const controller = new AbortController();
  using _listener = world.onInterrupt(() => controller.abort());
  const { found, loaded, inRun } = await loadAround(invocation);
  const isDry = options['dry-run'] === true;
  const opened = await open(inRun, loaded, { readOnly: isDry, signal: controller.signal });
  const folder = found.root === loaded.root ? undefined : found.root;
  const waits = options['wait'] === true && !isDry;
  const observe = observerFor(world, command, options['json'] === true);
  const asked = { command, arguments: given, folder, waits, observe };
  if (isDry) return showPlan(invocation, await planCommand(opened.ports, opened.assignment, asked));
  const run = (): Promise<CommandRan> =>
    runCommand(opened.ports, opened.assignment, { ...asked, signal: controller.signal });
  const ran = await (waits ? patiently(run, controller.signal) : run());
  return show(invocation, ran, controller.signal.aborted);
}

/**
 * What the command prints goes where a program would print it; what set-up commands print does not get between. With
 * `--json`, standard output has the document only.
 */
function observerFor(world: CliWorld, command: string, isJson: boolean): (event: EngineEvent) => void {
  const notices = noticesTo(world);
  return (event) => {
    if (event.type !== 'line') return notices(event);
    const isOutput = event.stream === 'stdout' && event.unit === command;
    const screen = isOutput && !isJson ? world.out : world.err;
    const text = screen.interactive ? forTerminal(event.line) : event.line;
    screen.write(event.goesOn === true ? text : `${text}\n`);
  };
}

function showPlan({ world, options }: CommandInvocation, { command, first, lines, words }: PlannedCommand): ExitCode {
  const order = [...first, command].map(({ id }) => id);
  if (options['json']) printJson(world, { format: 'gateline-do-plan/1', commands: order, words });
  else
    for (const [at, line] of [...lines, `${command.id}: run`].entries()) {
      say(world.out, oneLine(line));
      say(world.out, `  ${oneLine(words[at]!.map(shellWord).join(' '))}`);
    }
  return EXIT_CODES.ok;
}

/** `gateline-do/1`; see docs/reference/json-output.md. */
function show({ world, options, positionals }: CommandInvocation, ran: CommandRan, isStopped: boolean): ExitCode {
  const { ended, value, setup } = ran;
  const { verdict, effects } = ended;
  const hasPassed = verdict.status === 'passed';
  if (options['json']) {
    printJson(world, {
      format: 'gateline-do/1',
      command: positionals[0]!,
      ran: [...setup, ...(setup.includes(ended.gate) && !hasPassed ? [] : [ended.gate])],
      status: verdict.status,
      kind: verdict.kind,
      advice: verdict.advice,
      exitCode: ended.exitCode ?? null,
      value: value ?? null,
      creates: (effects?.creates ?? []).map(({ entity, instance }) => ({ entity, instance })),
    });
  }
  if (hasPassed) return EXIT_CODES.ok;
  say(world.err, `gateline: ${oneLine(ended.gate)}: ${oneLine(failureText(verdict))}`);
  return isStopped ? EXIT_CODES.interrupted : EXIT_CODES.gateFailed;
}
