import { beginGate, type BeginResult } from '../../engine/begin.ts';
import { AGENT_VARIABLES, CLI_VARIABLES } from '../../environment.ts';
import { lockWorkspace } from '../../local/local-ports.ts';
import { oneLine } from '../../report/text.ts';
import { shellWord } from '../../untrusted/shell-word.ts';
import type { CommandInvocation } from '../command.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { loadFor, open, projectOnce } from '../project/open.ts';
import { printJson } from '../output/print-json.ts';
import { reportError } from '../output/report-error.ts';
import { noticesTo, say } from '../output/say.ts';
import type { CliWorld } from '../world.ts';

/**
 * `gateline begin GATE`: step 0B of the state guide for an agent that runs by itself. Its output is for a shell's
 * `eval`, which returns 0 for empty text: so a failure is also printed, as a command that fails.
 */
export async function execute(invocation: CommandInvocation): Promise<ExitCode> {
  const { world, options } = invocation;
  try {
    const begun = await begin(invocation);
    if (options['json']) printJson(world, beginJson(begun));
    else tell(world, begun);
    return EXIT_CODES.ok;
  } catch (error) {
    const code = reportError(world, error);
    if (!options['json'] && !world.out.interactive) world.out.write(`${FORGET}(exit ${code})\n`);
    return code;
  }
}

async function begin(invocation: CommandInvocation): Promise<BeginResult> {
  const { world, positionals } = invocation;
  const loaded = await loadFor(invocation);
  // A run in progress would not see the claim and would start the gate too.
  await using _lock = await lockWorkspace(loaded.root, world);
  const opened = await open(invocation, loaded, { readOnly: false });
  const place = invocation.options['tree'] === true ? 'tree' : 'in-place';
  const begun = await beginGate(opened.ports, opened.assignment, positionals[0]!, noticesTo(world), { place });
  await projectOnce(world, opened);
  return begun;
}

/** Variables of an earlier gate that are still set in the shell must not be used for this one. */
const FORGET = `unset ${[...Object.values(AGENT_VARIABLES), CLI_VARIABLES.workspace, CLI_VARIABLES.token].join(' ')}\n`;

function tell(world: CliWorld, begun: BeginResult): void {
  const { key, choice, reason } = begun.planned;
  world.out.write(FORGET);
  if (begun.choice === 'done') {
    say(world.err, `${oneLine(key)}: ${choice}: ${oneLine(reason)}. There is nothing to do.`);
    return;
  }
  say(world.err, `${oneLine(key)}: begun; the claim expires at ${begun.deadline}: ${oneLine(reason)}`);
  const all = { ...begun.variables, [CLI_VARIABLES.workspace]: begun.root, [CLI_VARIABLES.token]: begun.token };
  for (const [name, value] of Object.entries(all)) {
    world.out.write(`export ${name}=${shellWord(value)}\n`);
  }
}

/** `gateline-begin/1`; see docs/reference/json-output.md. */
function beginJson(begun: BeginResult): object {
  const { planned, choice } = begun;
  return {
    format: 'gateline-begin/1',
    gate: planned.key,
    choice,
    reason: planned.reason,
    token: begun.choice === 'run' ? begun.token : null,
    deadline: begun.choice === 'run' ? begun.deadline : null,
    variables: begun.choice === 'run' ? begun.variables : {},
    workspace: begun.choice === 'run' ? begun.root : null,
  };
}
