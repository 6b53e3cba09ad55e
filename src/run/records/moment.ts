import { orderRecords } from './order.ts';
import { recordName, unitOf, type GatelineRecord } from './record.ts';

/** The records with this name, otherwise those whose names begin with it. */
export function recordsNamed(records: readonly GatelineRecord[], name: string): GatelineRecord[] {
  const exact = records.filter((record) => recordName(record) === name);
  return exact.length > 0 ? exact : records.filter((record) => recordName(record).startsWith(name));
}

/**
 * The records that existed when this one was written, itself included. For display only: records of its own unit are in
 * their defined order, but for other units only the clock is known.
 */
export function recordsUpTo(records: readonly GatelineRecord[], last: GatelineRecord): GatelineRecord[] {
  const own = orderRecords(records.filter((record) => unitOf(record) === unitOf(last))).records;
  const upTo = new Set(own.slice(0, own.indexOf(last) + 1));
  return records.filter(
    (record) =>
      record.runNumber <= last.runNumber &&
      (unitOf(record) === unitOf(last) ? upTo.has(record) : Date.parse(record.at) <= Date.parse(last.at)),
  );
}

/** The records written until this time, by their own clocks. */
export function recordsUntil(records: readonly GatelineRecord[], time: Date): GatelineRecord[] {
  return records.filter(({ at }) => Date.parse(at) <= time.getTime());
}
