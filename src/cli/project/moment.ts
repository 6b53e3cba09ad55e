import type { Assignment } from '../../engine/call/call.ts';
import type { EnginePorts } from '../../engine/ports.ts';
import { firstNames } from '../../errors/first-names.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { RecordListing } from '../../run/records/reading.ts';
import { recordName, type GatelineRecord, unitOf } from '../../run/records/record.ts';
import { orderRecords } from '../../run/records/order.ts';

/** The records that existed at a time in the past. */
export interface View {
  /** Every record, also later ones. */
  readonly all: readonly GatelineRecord[];
  readonly listing: RecordListing;
  /** With the clock of that moment. */
  readonly ports: EnginePorts;
  /** 0: the newest run of that moment. */
  readonly runNumber: number;
  readonly at: Date;
}

/**
 * The records up to a record or a time.
 * @param asked the name of a record or the beginning of one, or a time (ISO 8601)
 * @param runNumber the run that is asked about; 0: any
 * @throws GatelineError `MOMENT_UNKNOWN`
 */
export async function viewAt(
  { ports, assignment }: { readonly ports: EnginePorts; readonly assignment: Assignment },
  asked: string,
  runNumber: number,
): Promise<View> {
  const listing = await ports.store.list(assignment.pipeline.id, assignment.subject);
  const all = listing.records;
  const ofRun = runNumber === 0 ? all : all.filter((record) => record.runNumber === runNumber);
  const [record, ...others] = recordsNamed(ofRun, asked);
  const time = record === undefined ? timeOf(asked) : new Date(record.at);
  if (others.length > 0) throw ambiguous(asked, [record!, ...others]);
  if (time === undefined) throw unknown(asked, ofRun);
  const kept = record === undefined ? recordsUntil(all, time) : recordsUpTo(all, record);
  return {
    all,
    listing: { ...listing, records: kept },
    // Who is still running is only known of the present.
    ports: { ...ports, now: () => time, isGone: async () => false },
    runNumber: record?.runNumber ?? runNumber,
    at: time,
  };
}

function timeOf(text: string): Date | undefined {
  const time = new Date(text);
  return /^\d{4}-\d{2}-\d{2}(?:T|$)/.test(text) && !Number.isNaN(time.getTime()) ? time : undefined;
}

function ambiguous(asked: string, records: readonly GatelineRecord[]): GatelineError {
  const names = firstNames(records.map(recordName).sort(), 10);
  return new GatelineError('MOMENT_UNKNOWN', `--at ${asked}: ${records.length} records have names like that`, {
    hint: `Name one of them: ${names}.`,
  });
}

function unknown(asked: string, records: readonly GatelineRecord[]): GatelineError {
  const latest = records.toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at)).map(recordName);
  const known = latest.length === 0 ? '' : ` The latest records: ${firstNames(latest, 5)}.`;
  return new GatelineError('MOMENT_UNKNOWN', `--at ${asked}: there is no such record, and it is not a time`, {
    hint: `Name a record, as \`gateline show GATE record\` prints its parts, or write a time as 2030-12-31T18:00:00Z.${known}`,
  });
}

/** The records with this name, otherwise those whose names begin with it. */
function recordsNamed(records: readonly GatelineRecord[], name: string): GatelineRecord[] {
  const exact = records.filter((record) => recordName(record) === name);
  return exact.length > 0 ? exact : records.filter((record) => recordName(record).startsWith(name));
}

/**
 * The records that existed when this one was written, itself included. For display only: records of its own unit are in
 * their defined order, but for other units only the clock is known.
 */
function recordsUpTo(records: readonly GatelineRecord[], last: GatelineRecord): GatelineRecord[] {
  const own = orderRecords(records.filter((record) => unitOf(record) === unitOf(last))).records;
  const upTo = new Set(own.slice(0, own.indexOf(last) + 1));
  return records.filter(
    (record) =>
      record.runNumber <= last.runNumber &&
      (unitOf(record) === unitOf(last) ? upTo.has(record) : Date.parse(record.at) <= Date.parse(last.at)),
  );
}

/** The records written until this time, by their own clocks. */
function recordsUntil(records: readonly GatelineRecord[], time: Date): GatelineRecord[] {
  return records.filter(({ at }) => Date.parse(at) <= time.getTime());
}
