import { versionsOf } from '../../engine/apply.ts';
import type { Call } from '../../engine/call/call.ts';
import { whyRemoved } from '../../engine/snapshots/restorable.ts';
import { GatelineError, isDiskFull } from '../../errors/gateline-error.ts';
import { unitNamed } from '../../run/records/named-units.ts';
import type { EndedRecord } from '../../run/records/record.ts';
import { forTerminal } from '../../untrusted/escape.ts';
import { textOption, type CommandInvocation } from '../command.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { attemptNumbered, type NumberedAttempt } from '../../local/report/attempt-numbered.ts';
import { loadFor, openRun } from '../project/open.ts';
import { printJson } from '../output/print-json.ts';
import { say } from '../output/say.ts';
import { diffRuns } from '../history/diff-runs.ts';
import { attemptDifferences, differenceLines, differencesJson } from '../../local/report/attempt-differences.ts';

interface Versions extends Awaited<ReturnType<typeof versionsOf>> {
  /** The attempts whose versions these are, if two are compared. */
  readonly attempts?: readonly [NumberedAttempt, NumberedAttempt];
}
type AttemptSnapshot = NonNullable<EndedRecord['snapshot']>;

/** `gateline diff [GATE]`: the changes that the gates of a run made, as a patch. */
export async function execute(invocation: CommandInvocation): Promise<ExitCode> {
  const { world, options, positionals } = invocation;
  if (options['runs'] !== undefined) return diffRuns(invocation);
  const loaded = await loadFor(invocation);
  const { call } = await openRun(invocation, loaded, {
    asked: textOption(options, 'run'),
    where: '--run',
    readOnly: true,
  });
  const [gate] = positionals;
  const { workspace } = call.ports;
  const orUnavailable = (error: unknown): never => refuseGone(call, error);
  const { from, to, attempts } = await wanted(call, gate, textOption(options, 'attempt')).catch(orUnavailable);
  const beside = attempts && (await attemptDifferences(call, ...attempts).catch(orUnavailable));
  if (options['json']) {
    const files = await workspace.differences(from, to).catch(orUnavailable);
    const more = beside === undefined ? { request: null, output: null } : differencesJson(beside);
    printJson(world, { format: 'gateline-diff/1', gate: gate ?? null, from, to, files, ...more });
    return EXIT_CODES.ok;
  }
  // Of a version that is not kept, git does not even say that it is equal to itself.
  const patch = from === to ? '' : await workspace.patch(from, to).catch(orUnavailable);
  const lines = beside === undefined ? [] : differenceLines(beside);
  if (patch === '' && lines.length === 0) world.err.write('No difference.\n');
  for (const line of lines) say(world.out, line);
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
  const compared = [attemptNumbered(call, unit, Number(a)), attemptNumbered(call, unit, Number(b))] as const;
  const [from, to] = compared.map(({ number, ended }) =>
    snapshotOf(ended, `attempt ${number} of gate ${gate} (begun: ${unit.numbered.length})`),
  );
  return { from: from!.tree, to: to!.tree, attempts: compared };
}

function snapshotOf(ended: EndedRecord | undefined, what: string): AttemptSnapshot {
  if (ended?.snapshot !== undefined) return ended.snapshot;
  throw unavailable(`no version of the workspace was kept for ${what}`);
}

/**
 * Rethrows the error of a version that a record names and this machine does not have: git words it in its own way, and
 * no gate that runs again brings it back.
 */
function refuseGone(call: Call, error: unknown): never {
  if (!(error instanceof GatelineError) || isDiskFull(error)) throw error;
  if (error.code === 'CONTENT_MISSING') throw unavailable(error.message, error);
  if (error.code !== 'GIT_FAILED') throw error;
  const { runNumber, subject } = call.journal.state();
  const what = `a version of the workspace that run ${runNumber} of ${subject} names is not kept on this machine`;
  throw unavailable(what + (whyRemoved(call) || `: ${error.message.split('\n').at(-1)!}`), error);
}

function unavailable(message: string, cause?: unknown): GatelineError {
  return new GatelineError('DIFF_UNAVAILABLE', message, {
    cause,
  });
}
