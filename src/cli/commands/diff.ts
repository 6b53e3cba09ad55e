import { versionsOf } from '../../engine/apply.ts';
import type { Call } from '../../engine/call.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { EndedRecord } from '../../run/record.ts';
import { forTerminal } from '../../untrusted/escape.ts';
import { textOption, type Invocation } from '../command.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { loadFor, openRun } from '../open.ts';
import { printJson } from '../print-json.ts';

/** `gateline diff [GATE]`: what the gates of a run made, as a patch. */
export async function execute(invocation: Invocation): Promise<ExitCode> {
  const { world, options, positionals } = invocation;
  const loaded = await loadFor(invocation);
  const { call } = await openRun(invocation, loaded, {
    asked: textOption(options, 'run'),
    where: '--run',
    readOnly: true,
  });
  const [gate] = positionals;
  const { from, to } = await wanted(call, gate, textOption(options, 'attempt'));
  const { workspace } = call.ports;
  if (options['json']) {
    const files = await workspace.differences(from, to);
    printJson(world, { format: 'gateline-diff/1', gate: gate ?? null, from, to, files });
    return EXIT_CODES.ok;
  }
  const patch = await workspace.patch(from, to);
  if (patch === '') world.err.write('No difference.\n');
  world.out.write(world.out.interactive ? forTerminal(patch) : patch);
  return EXIT_CODES.ok;
}

async function wanted(
  call: Call,
  gate: string | undefined,
  attempts: string | undefined,
): Promise<{ readonly from: string; readonly to: string }> {
  if (gate === undefined) {
    if (attempts === undefined) return versionsOf(call);
    throw new GatelineError('user', 'OPTION_VALUE', '--attempt compares attempts of one gate', {
      hint: 'Name the gate: `gateline diff GATE --attempt 1..2`.',
    });
  }
  const unit = call.journal.state().units.get(gate);
  if (unit === undefined) {
    throw new GatelineError('user', 'GATE_UNKNOWN', `there is no gate ${gate}`, {
      hint: `Gates: ${[...call.graph.keys()].join(', ')}.`,
    });
  }
  if (attempts === undefined) {
    const { from, tree } = snapshotOf(gate, unit.ended);
    return { from, to: tree };
  }
  const [, a, b] = /^([1-9][0-9]{0,5})\.\.([1-9][0-9]{0,5})$/.exec(attempts) ?? [];
  if (a === undefined || b === undefined) {
    throw new GatelineError('user', 'OPTION_VALUE', `--attempt ${attempts}: expected A..B`, {
      hint: 'For instance `--attempt 1..2`: what the second attempt made different.',
    });
  }
  const ended = (call.journal.archive().ended.get(gate) ?? []).filter(
    (one) => one.runNumber === call.journal.state().runNumber && one.how === 'ran',
  );
  return { from: snapshotOf(gate, ended[Number(a) - 1]).tree, to: snapshotOf(gate, ended[Number(b) - 1]).tree };
}

function snapshotOf(gate: string, ended: EndedRecord | undefined): NonNullable<EndedRecord['snapshot']> {
  if (ended?.snapshot !== undefined) return ended.snapshot;
  throw new GatelineError(
    'user',
    'DIFF_UNAVAILABLE',
    `gate ${gate}: no such attempt has left a version of the workspace`,
    {
      hint: 'An attempt that was killed leaves none, and one of another machine is kept there.',
    },
  );
}
