import { readToken } from '../../engine/attempt/claim-token.ts';
import { completeGate } from '../../engine/complete.ts';
import { CLI_VARIABLES } from '../../environment.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { unitKey } from '../../pipeline/pipeline.ts';
import { attemptView } from '../../report/json/status-json.ts';
import { verdictText } from '../../report/terminal/verdict-text.ts';
import { adviceLines } from '../output/advice.ts';
import { textOption, type CommandInvocation } from '../command.ts';
import type { ExitCode } from '../exit-codes.ts';
import { loadFor, open, projectOnce } from '../project/open.ts';
import { exitCodeOfUnit } from '../output/outcome.ts';
import { paintFor } from '../output/paint.ts';
import { printJson } from '../output/print-json.ts';
import { noticesTo, say } from '../output/say.ts';

/** `gateline complete`: judges what an agent that ran by itself has left. */
export async function execute(invocation: CommandInvocation): Promise<ExitCode> {
  const { world, options } = invocation;
  const token = textOption(options, 'token') ?? world.environment[CLI_VARIABLES.token] ?? '';
  if (token === '') {
    throw new GatelineError('TOKEN_MISSING', 'there is no token');
  }
  const exitCode = exitCodeGiven(textOption(options, 'exit-code'));
  const { subject } = readToken(token);
  const here = await open(invocation, await loadFor(invocation), { readOnly: false });
  // The token names the subject; the branch's current name is ignored.
  const opened = { ...here, assignment: { ...here.assignment, subject } };
  const about = here.assignment.subject === subject ? options : { ...options, subject };
  const ended = await completeGate(opened.ports, opened.assignment, { token, exitCode }, noticesTo(world));
  const state = await projectOnce(world, opened);
  const unit = state.units.get(unitKey(ended.gate, ended.leg));
  if (options['json']) {
    const { status = 'failed', reason = '' } = unit ?? {};
    const gate = unitKey(ended.gate, ended.leg);
    printJson(world, {
      format: 'gateline-verdict/1',
      gate,
      status,
      reason,
      attempt: attemptView(ended),
      verdict: ended.verdict,
    });
  } else {
    const paint = paintFor(world.out, world.environment);
    const contract = opened.graph.get(unitKey(ended.gate, ended.leg))?.gate.contract;
    say(world.out, verdictText(ended, { paint, contract, begun: unit?.begun ?? [] }).trimEnd());
    for (const line of adviceLines(state, { graph: opened.graph, options: about })) say(world.out, line);
  }
  return exitCodeOfUnit(unit);
}

function exitCodeGiven(text: string | undefined): number {
  const code = Number(text ?? 0);
  if (text?.trim() !== '' && Number.isInteger(code) && code >= 0 && code <= 255) return code;
  throw new GatelineError('OPTION_VALUE', `--exit-code ${text}: expected a whole number from 0 to 255`, {
    hint: 'Pass what the shell has in `$?` right after the agent.',
  });
}
