import type { Call } from '../../engine/call/call.ts';
import type { Digest } from '../../json/digest.ts';
import { comparePositions, unitOf, type EndedRecord, type StartedRecord } from '../../run/records/record.ts';
import type { UnitState } from '../../run/state/run-state.ts';

/** The parts of a gate that `gateline show` can show. */
export const PARTS = [
  'verdict',
  'request',
  'output',
  'exports',
  'record',
  'stdout',
  'stderr',
  'learnings',
  'contract',
] as const;
export type Part = (typeof PARTS)[number];

/** Parts that are text; the others are JSON. */
export const TEXT_PARTS: ReadonlySet<Part> = new Set(['stdout', 'stderr', 'learnings']);

/** Digest of a part; `undefined` if it does not exist. */
export function contentOf(call: Call, unit: UnitState, part: Exclude<Part, 'verdict' | 'record'>): Digest | undefined {
  const ended = latestOf(call, unit);
  switch (part) {
    case 'request':
      return claimOf(call, unit)?.request;
    case 'contract':
      return ended?.contract ?? unit.started?.contract;
    case 'output':
      return ended?.value?.digest;
    case 'exports':
      return ended?.exports?.digest;
    case 'stdout':
    case 'stderr':
      return ended?.logs[part]?.digest;
    case 'learnings':
      return ended?.learnings?.digest;
  }
}

/** Why a part does not exist, as the end of a sentence. */
export function whyAbsent(call: Call, unit: UnitState, part: Part): string {
  if (latestOf(call, unit) === undefined) {
    return unit.started === undefined ? 'its agent was not started yet' : 'its agent has not ended yet';
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
      return 'no attempt of it was begun';
  }
}

/** The attempt that determines the status, otherwise the latest that ended in this run. */
export function latestOf(call: Call, unit: UnitState): EndedRecord | undefined {
  const { runNumber } = call.journal.state();
  const ended = call.journal.archive().ended.get(unit.key) ?? [];
  return unit.ended ?? ended.findLast((one) => one.runNumber === runNumber);
}

/** The claim of the attempt that determines the status; for a reused output, the claim of the original attempt. */
function claimOf(call: Call, unit: UnitState): StartedRecord | undefined {
  const ended = latestOf(call, unit);
  const source = ended?.source;
  // The claim of another subject is not among our records: ours has the same request.
  const at = source === undefined || source.subject !== undefined ? ended : source;
  const claims = call.journal
    .archive()
    .records.filter((record): record is StartedRecord => record.kind === 'started' && unitOf(record) === unit.key);
  return (at && claims.find((record) => comparePositions(record, at) === 0)) ?? unit.started;
}
