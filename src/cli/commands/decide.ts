import { decide, decideRun, type Decision } from '../../engine/decide.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { didYouMean } from '../../pipeline/problem.ts';
import { oneLine } from '../../report/text.ts';
import { GATE_DECISIONS, PERSONS_DECISIONS, RUN_DECISIONS } from '../../run/records/decision-names.ts';
import { adviceLines } from '../output/advice.ts';
import { readInput } from '../project/assignment.ts';
import { textOption, type OptionValues, type CommandInvocation } from '../command.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { loadFor, open, parseRunArgument, projectOnce, type OpenProject, type RunAsked } from '../project/open.ts';
import { printJson } from '../output/print-json.ts';
import { say } from '../output/say.ts';
import type { CliWorld } from '../world.ts';
import { decisionMadeBy, reasonGiven, type DecisionMade } from '../project/decision.ts';

/** `gateline decide DECISION [GATE]`, also as `gateline DECISION [GATE]`: records a person's decision. */
export async function execute(invocation: CommandInvocation): Promise<ExitCode> {
  const { world, options, positionals } = invocation;
  const [word, named] = positionals as [string, string | undefined];
  const isAboutRun = RUN_DECISIONS.some((one) => one === word);
  const gate = isAboutRun ? undefined : named;
  const { until, record } = await recorderFor(world, options, word, gate);
  const run = isAboutRun ? runNamed(options, word, named) : parseRunArgument(undefined, '--run');
  const loaded = await loadFor(invocation);
  const by = await decisionMadeBy(world, options, loaded);
  const about = { ...options, ...(run.subject !== undefined && { subject: run.subject }) };
  const opened = await open({ ...invocation, options: about }, loaded, { readOnly: false });
  await record(opened, by, run.number);
  const state = await projectOnce(world, opened);
  const { actor, reason } = by;
  if (options['json']) {
    const made = { gate: gate ?? null, decision: word, actor, reason, until: until ?? null };
    printJson(world, { format: 'gateline-decision/1', ...made });
    return EXIT_CODES.ok;
  }
  const runNumber = run.number === 0 ? state.runNumber : run.number;
  say(world.out, `${oneLine(gate ?? `run ${runNumber}`)}: ${word} by ${oneLine(actor)}: ${oneLine(reason)}`);
  if (runNumber === state.runNumber)
    for (const line of adviceLines(state, { graph: opened.graph, options })) say(world.out, line);
  return EXIT_CODES.ok;
}

/** The run of a decision about a run: `login` is the newest of that subject, `3` and `login#3` are others. */
function runNamed(options: OptionValues, word: string, named: string | undefined): RunAsked {
  if (named === undefined) return parseRunArgument(textOption(options, 'run'), '--run');
  const twice = ['run', 'subject'].find((name) => options[name] !== undefined);
  if (twice !== undefined) throw new GatelineError('OPTION_CONFLICT', `--${twice} names a run, and so does ${named}`);
  return /^(?:.+#)?[0-9]+$/s.test(named) ? parseRunArgument(named, word) : { subject: named, number: 0 };
}

/** A decision whose options were checked. */
interface Recorder {
  /** When it expires. */
  readonly until: string | undefined;
  /** @param runNumber the run of a decision about a run; 0: the newest */
  readonly record: (opened: OpenProject, by: DecisionMade, runNumber: number) => Promise<unknown>;
}

/** Checks the options. */
async function recorderFor(
  world: CliWorld,
  options: OptionValues,
  word: string,
  gate: string | undefined,
): Promise<Recorder> {
  const aboutGate = GATE_DECISIONS.find((one) => one === word);
  const aboutRun = RUN_DECISIONS.find((one) => one === word);
  // Before the definition is read, like all checks that need only the options.
  if (aboutGate !== undefined || aboutRun !== undefined) reasonGiven(options);
  if (aboutGate !== undefined) {
    if (gate === undefined) throw new GatelineError('ARGUMENT_MISSING', `${word}: GATE is missing`);
    refuseIdle(options, word, ['run']);
    const about = await gateDecision(world, options, aboutGate, gate);
    return {
      until: about.until,
      record: ({ ports, assignment }, by) => decide(ports, assignment, { ...about, ...by }),
    };
  }
  if (aboutRun !== undefined) {
    refuseIdle(options, word, ['output', 'until']);
    const record: Recorder['record'] = ({ ports, assignment }, by, runNumber) =>
      decideRun(ports, assignment, { decision: aboutRun, runNumber, ...by });
    return { until: undefined, record };
  }
  const meant = didYouMean(word, PERSONS_DECISIONS);
  const suggestion = meant === undefined ? '' : `; ${meant}`;
  throw new GatelineError('DECISION_UNKNOWN', `there is no decision ${word}${suggestion}`, {
    hint: `Decisions: ${PERSONS_DECISIONS.join(', ')}.`,
  });
}

async function gateDecision(
  world: CliWorld,
  options: OptionValues,
  decision: Decision['decision'],
  gate: string,
): Promise<Omit<Decision, 'actor' | 'reason'>> {
  if (decision !== 'adopt') refuseIdle(options, decision, ['output']);
  if (decision !== 'approve' && decision !== 'skip') refuseIdle(options, decision, ['until']);
  const until = untilGiven(textOption(options, 'until'), world.now());
  const outputFile = textOption(options, 'output');
  if (decision === 'adopt' && outputFile === undefined)
    throw new GatelineError('OPTION_VALUE', 'adopt: --output FILE is missing', { hint: 'It is the output to use.' });
  return {
    decision,
    gates: [gate],
    ...(until !== undefined && { until }),
    ...(outputFile !== undefined && { output: await readInput(world, outputFile) }),
  };
}

const GOES_WITH: Readonly<Record<string, string>> = {
  output: 'adopt',
  until: 'approve and skip',
  run: 'decisions about a run',
};

/** Rejects options without an effect: the user expects one. */
function refuseIdle(options: OptionValues, decision: string, names: readonly string[]): void {
  const idle = names.find((name) => options[name] !== undefined);
  if (idle === undefined) return;
  const hint =
    idle === 'output' && decision === 'skip' ? { hint: '`gateline adopt GATE --output FILE` uses an output.' } : {};
  throw new GatelineError(
    'OPTION_CONFLICT',
    `--${idle} can only be used with ${GOES_WITH[idle]}, not with ${decision}`,
    hint,
  );
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
