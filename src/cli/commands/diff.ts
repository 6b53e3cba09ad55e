import { versionsOf } from '../../engine/apply.ts';
import type { Call } from '../../engine/call/call.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import { comparePositions, type EndedRecord } from '../../run/records/record.ts';
import { unitNamed } from '../../run/records/named-units.ts';
import { forTerminal } from '../../untrusted/escape.ts';
import { textOption, type CommandInvocation } from '../command.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { loadFor, openRun } from '../project/open.ts';
import { printJson } from '../output/print-json.ts';

type Versions = Awaited<ReturnType<typeof versionsOf>>;
type Snapshot = NonNullable<EndedRecord['snapshot']>;

/** `gateline diff [GATE]`: the changes that the gates of a run made, as a patch. */
export async function execute(invocation: CommandInvocation): Promise<ExitCode> {
  const { world, options, positionals } = invocation;
  const loaded = await loadFor(invocation);
  const { call } = await openRun(invocation, loaded, {
    asked: textOption(options, 'run'),
    where: '--run',
    readOnly: true,
  });
  const [gate] = positionals;
  const { workspace } = call.ports;
  const { from, to } = await wanted(call, gate, textOption(options, 'attempt')).catch(orUnavailable);
  if (options['json']) {
    const files = await workspace.differences(from, to).catch(orUnavailable);
    printJson(world, { format: 'gateline-diff/1', gate: gate ?? null, from, to, files });
    return EXIT_CODES.ok;
  }
  const patch = await workspace.patch(from, to).catch(orUnavailable);
  if (patch === '') world.err.write('No difference.\n');
  world.out.write(world.out.interactive ? forTerminal(patch) : patch);
  return EXIT_CODES.ok;
}

async function wanted(call: Call, gate: string | undefined, attempts: string | undefined): Promise<Versions> {
  if (gate === undefined) {
    if (attempts === undefined) return versionsOf(call);
    throw new GatelineError('OPTION_VALUE', '--attempt compares attempts of one gate', {
      hint: 'Name the gate: `gateline diff GATE --attempt 1..2`.',
    });
  }
  const { key } = unitNamed(call.graph, gate);
  const unit = call.journal.state().units.get(key)!;
  if (attempts === undefined) {
    const { from, tree } = snapshotOf(unit.ended, `gate ${key}, which is ${unit.status}`);
    return { from, to: tree };
  }
  const [, a, b] = /^([1-9][0-9]{0,5})\.\.([1-9][0-9]{0,5})$/.exec(attempts) ?? [];
  if (a === undefined || b === undefined) {
    throw new GatelineError('OPTION_VALUE', `--attempt ${attempts}: expected A..B`, {
      hint: 'For instance `--attempt 1..2`: what the second attempt made different.',
    });
  }
  const [from, to] = [a, b].map((number) => attemptOf(call, key, Number(number)));
  return { from: from!.tree, to: to!.tree };
}

/** The changes of an attempt, by its number among all attempts of the run, including killed ones. */
function attemptOf(call: Call, gate: UnitKey, number: number): Snapshot {
  const { journal } = call;
  const { runNumber } = journal.state();
  const begun = (journal.archive().started.get(gate) ?? []).filter((one) => one.runNumber === runNumber);
  const started = begun.toSorted(comparePositions)[number - 1];
  const ended =
    started &&
    journal
      .archive()
      .ended.get(gate)
      ?.find((one) => comparePositions(one, started) === 0);
  return snapshotOf(ended, `attempt ${number} of gate ${gate} (begun: ${begun.length})`);
}

function snapshotOf(ended: EndedRecord | undefined, what: string): Snapshot {
  if (ended?.snapshot !== undefined) return ended.snapshot;
  throw unavailable(`no version of the workspace was kept for ${what}`);
}

/**
 * Rethrows the error of a version that a record names but the object store does not have: git words it in its own way.
 */
function orUnavailable(error: unknown): never {
  if (!(error instanceof GatelineError) || error.code !== 'GIT_FAILED') throw error;
  throw unavailable(`the version of the workspace is not kept on this machine: ${error.message}`, error);
}

function unavailable(message: string, cause?: unknown): GatelineError {
  return new GatelineError('DIFF_UNAVAILABLE', message, {
    cause,
  });
}
