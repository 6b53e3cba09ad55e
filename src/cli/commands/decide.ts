import { decide, type Decision } from '../../engine/decide.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { unitsOf } from '../../run/unit.ts';
import { assignmentOf, readInput } from '../assignment.ts';
import { textOption, type Invocation } from '../command.ts';
import { constructPorts } from '../construct.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { loadPipeline } from '../load-pipeline.ts';
import { projectOnce } from './project-once.ts';
import { actorOf } from './run.ts';

const DECISIONS = ['approve', 'reject', 'skip', 'force'] as const;

/** `gateline decide DECISION GATE`: a person's word about a gate. */
export async function execute({ world, options, positionals }: Invocation): Promise<ExitCode> {
  const [word, gate] = positionals as [string, string];
  const decision = DECISIONS.find((one) => one === word);
  if (decision === undefined) throw new GatelineError('user', 'DECISION_UNKNOWN', `there is no decision ${word}`, { hint: `Decisions: ${DECISIONS.join(', ')}.` });
  const reason = textOption(options, 'reason');
  if (reason === undefined || reason.trim() === '') {
    throw new GatelineError('user', 'REASON_MISSING', 'a decision needs a reason', { hint: 'Pass --reason TEXT; it is shown wherever the gate is.' });
  }
  const loaded = await loadPipeline(world.workingDirectory, textOption(options, 'file'));
  const ports = await constructPorts(world, loaded);
  const assignment = await assignmentOf(options, loaded, ports.workspace, world.workingDirectory);
  const until = untilGiven(textOption(options, 'until'));
  const outputFile = textOption(options, 'output');
  const decided: Decision = {
    decision,
    gates: [gate],
    actor: actorOf(options, world.environment),
    reason,
    ...(until !== undefined && { until }),
    ...(outputFile !== undefined && { output: await readInput(outputFile, world.workingDirectory) }),
  };
  await decide(ports, assignment, decided);
  await projectOnce(world, loaded, ports, assignment, unitsOf(loaded.pipeline));
  world.out.write(`${gate}: ${decision} by ${decided.actor}: ${reason}\ngateline run goes on from here.\n`);
  return EXIT_CODES.ok;
}

function untilGiven(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const time = new Date(text);
  if (!Number.isNaN(time.getTime())) return time.toISOString();
  throw new GatelineError('user', 'OPTION_VALUE', `--until ${text}: expected a time such as 2026-12-31T18:00:00Z`);
}
