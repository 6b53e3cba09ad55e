import { sep } from 'node:path';
import type { EngineEvent } from '../../engine/ports.ts';
import { readToken } from '../../engine/attempt/claim-token.ts';
import { completeGate } from '../../engine/complete.ts';
import { AGENT_VARIABLES, CLI_VARIABLES } from '../../environment.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { unitKey, type UnitKey } from '../../pipeline/pipeline.ts';
import { STATE_FOLDER } from '../../local/local-ports.ts';
import { stateFileLines } from '../../local/state-files/state-file-lines.ts';
import { shellWord } from '../../untrusted/shell-word.ts';
import { attemptView } from '../../report/json/status-json.ts';
import { verdictText } from '../../report/terminal/verdict-text.ts';
import { oneLine } from '../../report/text.ts';
import { graphOf } from '../../run/records/unit.ts';
import { adviceLines } from '../output/advice.ts';
import { textOption, type CommandInvocation } from '../command.ts';
import type { ExitCode } from '../exit-codes.ts';
import { loadFor, open, projectOnce } from '../project/open.ts';
import { exitCodeOfUnit } from '../output/outcome.ts';
import { paintFor } from '../output/paint.ts';
import { printJson } from '../output/print-json.ts';
import type { CliWorld } from '../world.ts';
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
  const reruns = new Set<UnitKey>();
  const tell = noticesTo(world);
  const observe = (event: EngineEvent): void => {
    if (event.type === 'notice' && event.rerun && event.unit !== undefined) reruns.add(event.unit);
    tell(event);
  };
  const ended = await completeGate(opened.ports, opened.assignment, { token, exitCode }, observe).catch(
    (error: unknown) => {
      throw elsewhere(error, world, here.loaded.root) ?? error;
    },
  );
  const state = await projectOnce(world, opened);
  const key = unitKey(ended.gate, ended.leg);
  const unit = state.units.get(key);
  if (opened.loaded.pipeline.mirror?.includes('state-guide') === true) {
    const run = { place: opened.loaded, graph: graphOf(opened.graph, state.units.values()), state };
    for (const line of stateFileLines('created', run, key)) say(world.err, `note: ${oneLine(key)}: ${line}`);
  }
  if (options['json']) {
    const { status = 'failed', reason = '' } = unit ?? {};
    printJson(world, {
      format: 'gateline-verdict/1',
      gate: key,
      status,
      reason,
      attempt: attemptView(ended),
      verdict: ended.verdict,
    });
  } else {
    const paint = paintFor(world.out, world.environment);
    const contract = opened.graph.get(key)?.gate.contract;
    say(world.out, verdictText(ended, { paint, contract, numbered: unit?.numbered ?? [] }).trimEnd());
    for (const line of adviceLines(state, { graph: opened.graph, options: about, reruns })) say(world.out, line);
  }
  return exitCodeOfUnit(unit);
}

/**
 * In the work tree of the attempt, which has a definition too, the token is unknown: its state is in the user's folder.
 */
function elsewhere(error: unknown, { environment }: CliWorld, root: string): GatelineError | undefined {
  if (!(error instanceof GatelineError) || error.code !== 'TOKEN_UNKNOWN') return undefined;
  const request = environment[AGENT_VARIABLES.request] ?? '';
  const at = request.lastIndexOf(`${sep}${STATE_FOLDER}${sep}`);
  if (at < 0 || environment[CLI_VARIABLES.workspace] !== root || request.slice(0, at) === root) return undefined;
  const hint = `This is the work tree of the gate. Complete it where it was begun: \`cd ${shellWord(request.slice(0, at))}\`.`;
  return new GatelineError(error.code, error.message, { hint, cause: error });
}

function exitCodeGiven(text: string | undefined): number {
  const code = Number(text ?? 0);
  if (text?.trim() !== '' && Number.isInteger(code) && code >= 0 && code <= 255) return code;
  throw new GatelineError('OPTION_VALUE', `--exit-code ${text}: expected a whole number from 0 to 255`, {
    hint: 'Pass what the shell has in `$?` right after the agent.',
  });
}
