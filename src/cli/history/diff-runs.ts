import { compareRuns } from '../../engine/history/compare-runs.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { outputDifferencesJson } from '../../report/json/output-differences.ts';
import { runsDifferenceText } from '../../report/terminal/runs-difference.ts';
import { textOption, type CommandInvocation } from '../command.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { lookOf } from '../output/paint.ts';
import { printJson } from '../output/print-json.ts';
import { loadFor, open, parseRunArgument, type RunAsked } from '../project/open.ts';

/** `gateline diff --runs RUN..RUN`: how two runs differ, by their records. */
export async function diffRuns(invocation: CommandInvocation): Promise<ExitCode> {
  const { world, options, positionals } = invocation;
  for (const name of ['run', 'attempt'])
    if (options[name] !== undefined) throw new GatelineError('OPTION_CONFLICT', `--${name} does nothing with --runs`);
  const [before, after] = runsIn(textOption(options, 'runs')!);
  const { ports, assignment, loaded } = await open(invocation, await loadFor(invocation), { readOnly: true });
  const all = await compareRuns(ports, { pipeline: loaded.pipeline, subject: assignment.subject }, before, after);
  const [gate] = positionals;
  const isIt = (key: string): boolean => gate === undefined || key === gate || key.startsWith(`${gate}/`);
  const found = { ...all, gates: all.gates.filter(({ key }) => isIt(key)) };
  if (found.gates.length === 0) throw new GatelineError('GATE_UNKNOWN', `there is no gate ${gate} in these runs`);
  if (options['json']) {
    const gates = found.gates.map(({ key, before: a = null, after: b = null, sameRequest = null, output }) => ({
      key,
      before: a,
      after: b,
      sameRequest,
      output: output === undefined ? null : outputDifferencesJson(output),
    }));
    printJson(world, { format: 'gateline-runs-diff/1', ...found, gates });
  } else {
    const look = lookOf(world);
    world.out.write(runsDifferenceText(found, look));
  }
  return EXIT_CODES.ok;
}

/** The second run is of the first one's subject, unless it names another one. @throws GatelineError `OPTION_VALUE` */
function runsIn(text: string): [Run, Run] {
  const [, a, b] = /^((?:.+#)?[1-9][0-9]*)\.\.((?:.+#)?[1-9][0-9]*)$/s.exec(text) ?? [];
  if (a === undefined || b === undefined) {
    throw new GatelineError('OPTION_VALUE', `--runs ${text}: expected RUN..RUN`, {
      hint: 'For instance `--runs 1..2`, or `--runs pr-7#1..pr-8#3`.',
    });
  }
  const [first, second] = [parseRunArgument(a, '--runs'), parseRunArgument(b, '--runs')];
  return [runOf(first), runOf({ ...second, subject: second.subject ?? first.subject })];
}

interface Run {
  readonly subject?: string;
  readonly runNumber: number;
}

function runOf({ subject, number }: RunAsked): Run {
  return { runNumber: number, ...(subject !== undefined && { subject }) };
}
