import type { Entity } from '../../pipeline/entities/entities.ts';
import { mayChange, placesIn } from './call-places.ts';
import { EntityFold, type EntityFacts } from './entity-fold.ts';
import { keptOf, type EntityStates } from './entity-state.ts';
import { isJobCommand } from './job-commands.ts';
import { usedDecision } from '../records/decisions.ts';
import { attemptKey, orderRecords } from '../records/order.ts';
import { unreadIn, whyBlind, type RecordListing } from '../records/reading.ts';
import { unitOf, type GatelineRecord, type Position, type StartedRecord } from '../records/record.ts';

/**
 * The state of the entities of one pipeline and subject: pure and total, whatever the order and repetition of its
 * records. What cannot be read may have made anything invalid.
 */
export function foldEntities(entities: readonly Entity[], listing: RecordListing, facts: EntityFacts): EntityStates {
  const fold = new EntityFold(entities, facts);
  for (const event of eventsIn(listing, facts)) event.apply(fold);
  const blind = whyBlind(listing.problems);
  if (blind !== undefined) fold.invalidateAll({ by: '', at: '', reason: `records may be missing: ${blind}` });
  return fold.states;
}

/** An event with its place. */
interface PlacedEvent extends Position {
  readonly order: number;
  /** Of a command that a job ran before the attempt `n` of its unit: its place among those. The attempt comes after. */
  readonly before: number;
  /** Of one attempt: what it made invalid is first. */
  readonly phase: 0 | 1 | 2;
  readonly name: string;
  readonly apply: (fold: EntityFold) => void;
}

function eventsIn(listing: RecordListing, { rank }: EntityFacts): PlacedEvent[] {
  const { records } = orderRecords(listing.records);
  const claims = new Map<string, StartedRecord>();
  for (const record of records) if (record.kind === 'started') claims.set(attemptKey(record), record);
  const placeOf = (record: GatelineRecord): Pick<PlacedEvent, 'order' | 'before'> => {
    const claimed = record.kind === 'decided' ? record.entity : claims.get(attemptKey(record))?.entities;
    const order = claimed?.order;
    const ranked = rank?.get(unitOf(record)) ?? 0;
    if (isJobCommand(record)) return { order: ranked, before: order ?? 0 };
    return { order: order ?? ranked, before: Infinity };
  };
  const events = records.flatMap((record): PlacedEvent[] => {
    const apply = effectOf(record, claims.get(attemptKey(record)), listing);
    if (apply === undefined) return [];
    const phase = record.kind === 'started' ? 0 : record.kind === 'ended' ? 1 : 2;
    return [{ ...positionOf(record), ...placeOf(record), phase, name: unitOf(record), apply }];
  });
  const places = new Map<string, number>();
  for (const unread of unreadIn(listing.problems).filter(mayChange)) {
    const call = `${unread.runNumber}.${unread.runAttempt}`;
    const order = places.get(call) ?? placesIn(listing, unread).unread;
    places.set(call, order);
    const apply = (fold: EntityFold): void =>
      fold.invalidateAll({ by: '', at: '', reason: `a record cannot be read: ${unread.why}` });
    events.push({ ...positionOf(unread), order, before: Infinity, phase: 2, name: unitOf(unread), apply });
  }
  return events.sort(
    (a, b) =>
      a.runNumber - b.runNumber ||
      a.runAttempt - b.runAttempt ||
      compareNumbers(a.order, b.order) ||
      a.n - b.n ||
      compareNumbers(a.before, b.before) ||
      a.phase - b.phase ||
      (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
  );
}

function compareNumbers(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function positionOf({ runNumber, runAttempt, n }: Position): Position {
  return { runNumber, runAttempt, n };
}

/** What a record does to entities; `undefined`: nothing. */
function effectOf(
  record: GatelineRecord,
  claim: StartedRecord | undefined,
  listing: RecordListing,
): PlacedEvent['apply'] | undefined {
  const { at } = record;
  if (record.kind === 'decided') {
    const { entity: about, actor } = record;
    if (record.decision !== 'entity' || about === undefined || usedDecision(record, listing) === undefined)
      return undefined;
    const change = { by: actor, at, reason: `${actor} made it invalid: ${record.reason}` };
    // A decision about several instances is recorded for each of them, at one place.
    const birth = `${record.runNumber}.${record.runAttempt}.${about.order ?? ''}`;
    const { from = [] } = about;
    if (about.action === 'create') return (fold) => fold.create(about, { by: actor, at, birth, from });
    if (about.action === 'reset') return (fold) => fold.reset(about, change);
    return (fold) => fold.invalidate(about, change);
  }
  const by = unitOf(record);
  if (record.kind === 'started') {
    const { invalidates = [] } = record.entities ?? {};
    if (invalidates.length === 0) return undefined;
    return (fold) => {
      for (const one of invalidates) fold.invalidate(one, { by, at, reason: `${by} made it invalid` });
    };
  }
  const { effects } = record;
  if (record.how !== 'ran' || record.verdict.status !== 'passed' || effects === undefined) return undefined;
  const { requires = [], invalidates = [] } = claim?.entities ?? {};
  const from = keptOf(requires, invalidates);
  return (fold) => {
    for (const one of effects.invalidates) fold.invalidate(one, { by, at, reason: `${by} made it invalid` });
    for (const one of fold.dependedFirst(effects.creates))
      fold.create(one, { by, at, birth: attemptKey(record), from });
  };
}
