import { canonicalJson } from '../../json/canonical-json.ts';
import { comparePositions, recordName, unitOf, type GatelineRecord, type Position } from './record.ts';
import type { JsonValue } from '../../json/json.ts';

/** Records in their defined order without duplicates, and the names under which different records were found. */
export interface Ordered {
  readonly records: readonly GatelineRecord[];
  readonly conflicts: readonly string[];
}

const KIND_ORDER = { started: 0, ended: 1, decided: 2 } as const;

/**
 * Sorts by (run number, run attempt, n), never by the clock. For equal positions, a claim comes before its end and
 * failure before success, so that the last record is the one to use. Duplicates are dropped. The result does not depend
 * on the order in which records arrive.
 */
export function orderRecords(records: readonly GatelineRecord[]): Ordered {
  const byName = new Map<string, GatelineRecord[]>();
  for (const record of records) {
    const name = recordName(record);
    const same = byName.get(name);
    if (same === undefined) byName.set(name, [record]);
    else same.push(record);
  }
  const kept: GatelineRecord[] = [];
  const conflicts: string[] = [];
  for (const [name, same] of byName) {
    if (same.length === 1) kept.push(same[0]!);
    else {
      const distinct = distinctOf(same);
      if (distinct.length > 1) conflicts.push(name);
      kept.push(...distinct);
    }
  }
  return { records: kept.sort(compareRecords), conflicts: conflicts.sort() };
}

/** Most duplicates come from the same bytes, so canonical forms are only compared if the values differ as read. */
function distinctOf(records: readonly GatelineRecord[]): GatelineRecord[] {
  const asTheyStand = new Map(records.map((record) => [JSON.stringify(record), record]));
  if (asTheyStand.size === 1) return [...asTheyStand.values()];
  return [...new Map(asTheyStand.values().map((record) => [textOf(record), record])).values()];
}

function compareRecords(a: GatelineRecord, b: GatelineRecord): number {
  return (
    comparePositions(a, b) ||
    KIND_ORDER[a.kind] - KIND_ORDER[b.kind] ||
    successOf(a) - successOf(b) ||
    compareText(recordName(a), recordName(b)) ||
    (a === b ? 0 : compareText(textOf(a), textOf(b)))
  );
}

const SUCCESS = { failed: 0, partial: 1, 'not-applicable': 2, passed: 3 } as const;

function successOf(record: GatelineRecord): number {
  return record.kind === 'ended' ? SUCCESS[record.verdict.status] : 0;
}

function textOf(record: GatelineRecord): string {
  return canonicalJson(record as unknown as JsonValue);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The attempt that a record is of. */
export function attemptKey(record: Pick<GatelineRecord, 'gate' | 'leg' | keyof Position>): string {
  return `${unitOf(record)} ${record.runNumber}.${record.runAttempt}.${record.n}`;
}
