import type { UnitKey } from '../../pipeline/pipeline.ts';
import { attemptInRun, attemptText } from '../records/attempt-text.ts';
import { actorOf, latestPosition, rulingOn, usedDecision, type UnitDecisions } from '../records/decisions.ts';
import type { Digest } from '../../json/digest.ts';
import { isGoodEnough } from '../state/fold-unit.ts';
import { unreadIn, whyBlind, type RecordListing, type UnreadRecord } from '../records/reading.ts';
import {
  comparePositions,
  unitOf,
  type EndedRecord,
  type GatelineRecord,
  type StartedRecord,
} from '../records/record.ts';
import { orderRecords } from '../records/order.ts';
import { reworksIn } from '../records/reworks.ts';
import { claimMatches } from '../records/unit-records.ts';
import type { Unit } from '../records/unit.ts';

/** Records of all runs by unit, in order, for finding checkpoints. Created once per plan. */
export interface Archive extends Pick<RecordListing, 'unprovenDecisions'> {
  readonly records: readonly GatelineRecord[];
  readonly started: ReadonlyMap<UnitKey, readonly StartedRecord[]>;
  readonly ended: ReadonlyMap<UnitKey, readonly EndedRecord[]>;
  readonly decisions: ReadonlyMap<UnitKey, UnitDecisions>;
  /** Records that exist but could not be read; their names identify them. */
  readonly unread: ReadonlyMap<UnitKey, readonly UnreadRecord[]>;
  /** There may be records that were not listed: decisions of other runs cannot be known. */
  readonly blind: boolean;
}

/** Groups a listing for {@link findCheckpoint}. */
export function openArchive(listing: RecordListing): Archive {
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
  const { problems, unprovenDecisions } = listing;
  return {
    records,
    started,
    ended,
    decisions,
    unread,
    blind: whyBlind(problems) !== undefined,
    ...(unprovenDecisions && { unprovenDecisions }),
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
    const { decided, unknownAt } = archive.decisions.get(unitOf(record)) ?? { decided: [], unknownAt: undefined };
    (archive.decisions as Map<UnitKey, UnitDecisions>).set(unitOf(record), {
      decided: [...decided, used],
      unknownAt,
    });
  }
}

/** Whether an earlier attempt can be reused now, before its content is read. */
export type Checkpoint =
  | { readonly choice: 'usable'; readonly ended: EndedRecord; readonly reason: string }
  /** Everything matches except the contract, which changed: judge the stored output again. */
  | { readonly choice: 'judge-again'; readonly ended: EndedRecord; readonly reason: string }
  | { readonly choice: 'none'; readonly reason: string };

/** The query for {@link findCheckpoint}. */
export interface CheckpointQuery {
  readonly fingerprint: Digest;
  readonly contract: Digest;
  readonly runNumber: number;
  /** ISO 8601. */
  readonly now: string;
  /** Attempts already found to be unusable (their content is missing, or fails the current contract). */
  readonly except?: ReadonlySet<EndedRecord>;
}

/**
 * The newest earlier attempt with this fingerprint that may be reused instead of running the agent, and why or why not.
 */
export function findCheckpoint(unit: Unit, archive: Archive, query: CheckpointQuery): Checkpoint {
  if (archive.blind) return { choice: 'none', reason: 'not all records could be listed, so nothing is reused' };
  const same = (archive.ended.get(unit.key) ?? []).filter(
    (ended) =>
      ended.fingerprint === query.fingerprint ||
      // Another run did this work in several iterations: its last output is the one to reuse.
      (ended.rework?.base === query.fingerprint && ended.runNumber !== query.runNumber),
  );
  let reason = '';
  for (const ended of same.toReversed()) {
    if (query.except?.has(ended)) continue;
    const objection = objectionTo(unit, ended, archive, query);
    if (objection === undefined) {
      const judged = ended.contract === query.contract;
      return {
        choice: judged ? 'usable' : 'judge-again',
        ended,
        reason: nameOf(unit, ended, archive, query.runNumber),
      };
    }
    reason ||= objection;
  }
  return { choice: 'none', reason };
}

function objectionTo(unit: Unit, ended: EndedRecord, archive: Archive, query: CheckpointQuery): string | undefined {
  const where = nameOf(unit, ended, archive, query.runNumber);
  if (unit.gate.reuse === 'never' && ended.runNumber !== query.runNumber)
    return `${where} is not reused: reuse is set to never`;
  const ruling = rulingOn(
    ended,
    archive.decisions.get(unit.key) ?? { decided: [], unknownAt: undefined },
    query.now,
    unit.gate.approval,
  );
  if (ruling.ruling === 'unknown') return `${where} is not reused: a decision since then could not be read`;
  if (ruling.ruling === 'voided' && ruling.by.rework !== undefined)
    return `${where} was sent back by ${ruling.by.rework.cause}: ${ruling.by.reason}`;
  if (ended.rework !== undefined && ended.runNumber !== query.runNumber && !endedWell(unit, ended, archive))
    return `${where} is not reused: the gates that sent its work back did not pass afterwards`;
  if (ruling.ruling === 'voided') return `${actorOf(ruling.by)} asked for a new attempt: ${ruling.by.reason}`;
  if (ruling.ruling === 'rejected') return `${where} was rejected by ${actorOf(ruling.by)}: ${ruling.by.reason}`;
  const judged = ended.contract === query.contract;
  if (!isGoodEnough(unit, ended, ruling) && (judged || ended.value === undefined || !judgedByContract(ended))) {
    return `${where} ${ended.verdict.status === 'partial' ? 'was only partial' : `failed (${ended.verdict.kind})`}`;
  }
  const age = Date.parse(query.now) - Date.parse(producedAt(ended, archive));
  if (unit.gate.maxAge !== undefined) {
    if (age > unit.gate.maxAge) return `${where} is older than max-age`;
    // A clock was wrong, then or now, so the age is unknown.
    if (age < 0) return `${where} is not reused: its timestamp is in the future, so its age is unknown`;
  }
  const claim = archive.started.get(unit.key)?.find((started) => comparePositions(started, ended) === 0);
  if (!claimMatches(ended, claim))
    return `${where} is not reused: it ended with a different request or contract than it began with`;
  return undefined;
}

/** Whether every output that sent the work back in the attempt's run was followed by one that passed. */
function endedWell(unit: Unit, { runNumber }: EndedRecord, archive: Archive): boolean {
  const decided = (archive.decisions.get(unit.key)?.decided ?? []).filter((one) => one.runNumber === runNumber);
  const causes = reworksIn(decided).flatMap(({ rework }) => rework.from.map((one) => one.unit));
  return causes.every((cause) => {
    const last = archive.ended.get(cause)?.findLast((one) => one.runNumber === runNumber);
    return last?.verdict.status === 'passed';
  });
}

/** Failures that a different contract may change: the output existed and was judged. */
function judgedByContract(ended: EndedRecord): boolean {
  return ['passed', 'partial', 'schema', 'result', 'score', 'check'].includes(ended.verdict.kind);
}

/** When the agent produced the output, even if the attempt itself reused it. */
function producedAt(ended: EndedRecord, archive: Archive): string {
  let at = ended;
  for (let hops = 0; at.how === 'reused' && at.source !== undefined && hops < 10_000; hops += 1) {
    const source = at.source;
    const origin = (archive.ended.get(unitOf(ended)) ?? []).find((one) => comparePositions(one, source) === 0);
    if (origin === undefined || origin === at) break;
    at = origin;
  }
  return at.startedAt;
}

/** An attempt in a sentence. The run is named if it is not the current one. */
function nameOf(unit: Unit, ended: EndedRecord, archive: Archive, runNumber: number): string {
  const begun = archive.started.get(unit.key) ?? [];
  return ended.runNumber === runNumber ? attemptInRun(ended, begun) : attemptText(ended, begun);
}
