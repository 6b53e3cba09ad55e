import { claimIn } from '../../run/plan/archive.ts';
import type { Call } from '../../engine/call/call.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { Digest } from '../../json/digest.ts';
import type { UnitState } from '../../run/state/run-state.ts';
import { attemptNumbered } from '../../local/report/attempt-numbered.ts';
import type { AttemptRecords, ShownPart } from '../../local/report/parts.ts';

/** The attempt that is shown: its claim and its end, where they are known. */
export interface Shown extends AttemptRecords {
  readonly unit: UnitState;
  /** As asked for; `undefined`: the attempt that determines the gate's status. */
  readonly number: number | undefined;
}

/**
 * The attempt with that number in the run, otherwise the one that determines the status, or the latest that ended.
 * @throws GatelineError `ATTEMPT_UNKNOWN`
 */
export function shownOf(call: Call, unit: UnitState, number?: number): Shown {
  if (number !== undefined) return { unit, ...attemptNumbered(call, unit, number) };
  const { runNumber } = call.journal.state();
  const archive = call.journal.archive();
  const latest = unit.ended ?? archive.ended.get(unit.key)?.findLast((one) => one.runNumber === runNumber);
  const source = latest?.source;
  // The claim of another subject is not among our records: ours has the same request.
  const at = source === undefined || source.subject !== undefined ? latest : source;
  const claim = at && claimIn(archive, unit.key, at);
  return { unit, ended: latest, claim: claim ?? unit.started, number };
}

/** The text of a part that is stored. @throws GatelineError `CONTENT_MISSING` */
export async function textOfPart(
  { ports }: Pick<Call, 'ports'>,
  key: string,
  part: ShownPart,
  digest: Digest,
): Promise<string> {
  const read = await ports.store.get(digest);
  if (read.state === 'present') return new TextDecoder().decode(read.value);
  const why = read.state === 'unknown' ? read.problem.message : 'it is missing from the store';
  throw new GatelineError('CONTENT_MISSING', `the ${part} of gate ${key} cannot be read: ${why}`, {
    hint: `Create it again: \`gateline run --force ${key} --reason TEXT\`.`,
  });
}

/** Why a part does not exist, as the end of a sentence. */
export function whyAbsent({ unit, claim, ended, number }: Shown, part: ShownPart): string {
  if (ended === undefined) {
    if (number !== undefined && number < unit.numbered.length) return 'the attempt was interrupted';
    return claim === undefined ? 'its agent was not started yet' : 'its agent has not ended yet';
  }
  switch (part) {
    case 'output':
      return 'its agent wrote no output that could be read';
    case 'exports':
      return 'only an output that meets the contract is handed on';
    case 'stdout':
    case 'stderr':
      return 'its agent printed nothing there';
    case 'learnings':
      return 'its agent wrote none';
    default:
      return ended.how === 'adopted' ? 'its output was adopted' : 'no attempt of it was begun';
  }
}
