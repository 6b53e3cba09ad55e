import type { UnitKey } from '../../pipeline/pipeline.ts';
import { attemptInRun, numberedAmong } from '../records/attempt-text.ts';
import { latestPosition, NO_DECISIONS, usedDecision, type UnitDecisions } from '../records/decisions.ts';
import { unreadIn, whyBlind, type RecordListing, type UnreadRecord } from '../records/reading.ts';
import {
  comparePositions,
  unitOf,
  type EndedRecord,
  type GatelineRecord,
  type Position,
  type StartedRecord,
} from '../records/record.ts';
import { orderRecords } from '../records/order.ts';

/** Records of one subject by unit, of all its runs, in order. */
export interface SubjectRecords extends Pick<RecordListing, 'unprovenDecisions' | 'proven'> {
  /** The subject, if it is not that of the call. Its positions are never compared with those of the call's subject. */
  readonly other: string | undefined;
  readonly records: readonly GatelineRecord[];
  readonly started: ReadonlyMap<UnitKey, readonly StartedRecord[]>;
  readonly ended: ReadonlyMap<UnitKey, readonly EndedRecord[]>;
  readonly decisions: ReadonlyMap<UnitKey, UnitDecisions>;
  /** Records that exist but could not be read; their names identify them. */
  readonly unread: ReadonlyMap<UnitKey, readonly UnreadRecord[]>;
  /** There may be records that were not listed: decisions of other runs cannot be known. */
  readonly blind: boolean;
}

/** The records of the call's subject, and what was found of other subjects. Created once per plan. */
export interface Archive extends SubjectRecords {
  /** Outputs of other subjects, each with the records and decisions of its own subject; the best first. */
  readonly elsewhere: ReadonlyMap<UnitKey, readonly SubjectRecords[]>;
}

/** Groups a listing for {@link findCheckpoint}. */
export function openArchive(listing: RecordListing, elsewhere: Archive['elsewhere'] = new Map()): Archive {
  return { ...recordsOf(listing, undefined), elsewhere };
}

/** The claim of an attempt of a unit; `undefined`: it is not among the records. */
export function claimIn(
  { started }: Pick<SubjectRecords, 'started'>,
  key: UnitKey,
  attempt: Position,
): StartedRecord | undefined {
  return started.get(key)?.find((one) => comparePositions(one, attempt) === 0);
}

/** The attempts of a unit, in the order in which they are numbered. */
export function numberedIn(
  { started, ended }: Pick<SubjectRecords, 'started' | 'ended'>,
  key: UnitKey,
): ReturnType<typeof numberedAmong> {
  return numberedAmong(started.get(key) ?? [], ended.get(key) ?? []);
}

/** An attempt in the records of its subject: {@link attemptInRun}. */
export function attemptIn(archive: Pick<SubjectRecords, 'started' | 'ended'>, at: StartedRecord | EndedRecord): string {
  return attemptInRun(at, numberedIn(archive, unitOf(at)));
}

/** Adds what was found of other subjects for a unit, in place of what was found for it before. */
export function addElsewhere(archive: Archive, key: UnitKey, listings: readonly RecordListing[]): void {
  const others = listings.map((listing) => recordsOf(listing, listing.records[0]?.subject));
  (archive.elsewhere as Map<UnitKey, readonly SubjectRecords[]>).set(key, others);
}

function recordsOf(listing: RecordListing, other: string | undefined): SubjectRecords {
  const { records } = orderRecords(listing.records);
  const started = Map.groupBy(
    records.filter((record) => record.kind === 'started'),
    unitOf,
  );
  const ended = Map.groupBy(
    records.filter((record) => record.kind === 'ended'),
    unitOf,
  );
  const decided = Map.groupBy(
    records.flatMap((record) => (record.kind === 'decided' ? (usedDecision(record, listing) ?? []) : [])),
    unitOf,
  );
  const unread = Map.groupBy(unreadIn(listing.problems), unitOf);
  const decisions = new Map<UnitKey, UnitDecisions>();
  for (const key of new Set([...decided.keys(), ...unread.keys()])) {
    const unknown = (unread.get(key) ?? []).filter(({ kind }) => kind.startsWith('decided'));
    decisions.set(key, { decided: decided.get(key) ?? [], unknownAt: latestPosition(unknown) });
  }
  const { problems, unprovenDecisions, proven } = listing;
  return {
    other,
    records,
    started,
    ended,
    decisions,
    unread,
    blind: whyBlind(problems) !== undefined,
    ...(unprovenDecisions && { unprovenDecisions }),
    ...(proven && { proven }),
  };
}

/** Adds a record that was written later and is the latest of its unit. */
export function addToArchive(archive: Archive, record: GatelineRecord): void {
  const append = <T>(into: ReadonlyMap<UnitKey, readonly T[]>, one: T): void => {
    const known = into.get(unitOf(record)) as T[] | undefined;
    if (known === undefined) (into as Map<UnitKey, readonly T[]>).set(unitOf(record), [one]);
    else known.push(one);
  };
  (archive.records as GatelineRecord[]).push(record);
  if (record.kind === 'started') append(archive.started, record);
  else if (record.kind === 'ended') append(archive.ended, record);
  else {
    const used = usedDecision(record, archive);
    if (used === undefined) return;
    const { decided, unknownAt } = archive.decisions.get(unitOf(record)) ?? NO_DECISIONS;
    (archive.decisions as Map<UnitKey, UnitDecisions>).set(unitOf(record), {
      decided: [...decided, used],
      unknownAt,
    });
  }
}
