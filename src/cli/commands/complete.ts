import { completeGate } from '../../engine/complete.ts';
import { readToken } from '../../engine/claim-token.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { CLI_VARIABLES } from '../../environment.ts';
import { verdictText } from '../../report/verdict-text.ts';
import { unitsOf } from '../../run/unit.ts';
import { assignmentOf } from '../assignment.ts';
import { textOption, type Invocation } from '../command.ts';
import { constructPorts } from '../construct.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { loadPipeline } from '../load-pipeline.ts';
import { paintFor } from '../paint.ts';
import { projectOnce } from './project-once.ts';

/** `gateline complete`: judges what an agent left that ran by itself. */
export async function execute({ world, options }: Invocation): Promise<ExitCode> {
  const token = textOption(options, 'token') ?? world.environment[CLI_VARIABLES.token];
  if (token === undefined) {
    throw new GatelineError('user', 'TOKEN_MISSING', 'there is no token', { hint: 'Pass --token, or keep GATELINE_TOKEN as `gateline begin` printed it.' });
  }
  const loaded = await loadPipeline(world.workingDirectory, textOption(options, 'file'));
  const ports = await constructPorts(world, loaded);
  const { subject } = readToken(token);
  const assignment = { ...(await assignmentOf(options, loaded, ports.workspace, world.workingDirectory)), subject };
  const ended = await completeGate(ports, assignment, { token, exitCode: exitCodeGiven(textOption(options, 'exit-code')) }, (event) => {
    if (event.type === 'notice') world.err.write(`note: ${event.message}\n`);
  });
  await projectOnce(world, loaded, ports, assignment, unitsOf(loaded.pipeline));
  if (options['json']) world.out.write(`${JSON.stringify({ format: 'gateline-verdict/1', gate: ended.gate, verdict: ended.verdict }, null, 2)}\n`);
  else world.out.write(`${verdictText(ended, { paint: paintFor(world.out, world.environment) }).trimEnd()}\n`);
  return ended.verdict.status === 'passed' ? EXIT_CODES.ok : EXIT_CODES.gateFailed;
}

function exitCodeGiven(text: string | undefined): number {
  const code = Number(text ?? 0);
  if (Number.isInteger(code) && code >= 0 && code <= 255) return code;
  throw new GatelineError('user', 'OPTION_VALUE', `--exit-code ${text}: expected a whole number from 0 to 255`);
}
