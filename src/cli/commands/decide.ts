import { decide, type Decision } from '../../engine/decide.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { didYouMean } from '../../pipeline/problem.ts';
import { oneLine } from '../../report/text.ts';
import { adviceLines } from '../output/advice.ts';
import { readInput } from '../project/assignment.ts';
import { textOption, type OptionValues } from '../command.ts';
import { type CommandInvocation } from '../command.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { loadFor, open, projectOnce } from '../project/open.ts';
import { printJson } from '../output/print-json.ts';
import { say } from '../output/say.ts';
import type { CliWorld } from '../world.ts';
import { decisionMadeBy, reasonGiven } from '../project/decision.ts';

const DECISIONS = ['approve', 'reject', 'skip', 'force'] as const;

/** `gateline decide DECISION GATE`: records a person's decision about a gate. */
export async function execute(invocation: CommandInvocation): Promise<ExitCode> {
  const { world, options, positionals } = invocation;
  const [word, gate] = positionals as [string, string];
  const asked = await askedOf(world, options, word, gate);
  const loaded = await loadFor(invocation);
  const decided = { ...asked, ...(await decisionMadeBy(world, options, loaded)) };
  const opened = await open(invocation, loaded, { readOnly: false });
  await decide(opened.ports, opened.assignment, decided);
  const state = await projectOnce(world, opened);
  const { decision, actor, reason, until = null } = decided;
  if (options['json']) {
    printJson(world, { format: 'gateline-decision/1', gate, decision, actor, reason, until });
    return EXIT_CODES.ok;
  }
  say(world.out, `${oneLine(gate)}: ${decision} by ${oneLine(actor)}: ${oneLine(reason)}`);
  for (const line of adviceLines(state, { graph: opened.graph, options })) say(world.out, line);
  return EXIT_CODES.ok;
}

async function askedOf(
  world: CliWorld,
  options: OptionValues,
  word: string,
  gate: string,
): Promise<Omit<Decision, 'actor' | 'reason'>> {
  const decision = DECISIONS.find((one) => one === word);
  if (decision === undefined) {
    const meant = didYouMean(word, DECISIONS);
    const suggestion = meant === undefined ? '' : `; ${meant}`;
    throw new GatelineError('DECISION_UNKNOWN', `there is no decision ${word}${suggestion}`, {
      hint: `Decisions: ${DECISIONS.join(', ')}.`,
    });
  }
  // Before the definition is read, like all checks that need only the options.
  reasonGiven(options);
  refuseIdle(options, decision);
  const until = untilGiven(textOption(options, 'until'), world.now());
  const outputFile = textOption(options, 'output');
  return {
    decision,
    gates: [gate],
    ...(until !== undefined && { until }),
    ...(outputFile !== undefined && { output: await readInput(world, outputFile) }),
  };
}

/** Rejects options without an effect: the user expects one. */
function refuseIdle(options: OptionValues, decision: (typeof DECISIONS)[number]): void {
  const idle =
    options['output'] !== undefined && decision !== 'skip'
      ? '--output goes with skip only'
      : options['until'] !== undefined && decision !== 'skip' && decision !== 'approve'
        ? '--until goes with approve and skip only'
        : undefined;
  if (idle === undefined) return;
  throw new GatelineError('OPTION_CONFLICT', `${idle}, not with ${decision}`);
}

function untilGiven(text: string | undefined, now: Date): string | undefined {
  if (text === undefined) return undefined;
  const time = new Date(text);
  const wrong = Number.isNaN(time.getTime())
    ? 'expected a time'
    : time <= now
      ? 'expected a time in the future'
      : undefined;
  if (wrong === undefined) return time.toISOString();
  throw new GatelineError('OPTION_VALUE', `--until ${text}: ${wrong}`, {
    hint: 'Write it as 2030-12-31T18:00:00Z.',
  });
}
