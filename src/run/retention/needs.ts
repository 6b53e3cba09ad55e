import type { UnitKey } from '../../pipeline/pipeline.ts';
import type { Digest } from '../../json/digest.ts';
import { madeAt, VOIDING } from '../records/decisions.ts';
import {
  comparePositions,
  RUN_GATE,
  unitOf,
  type DecidedRecord,
  type EndedRecord,
  type GatelineRecord,
  type Position,
} from '../records/record.ts';

/** A run of a pipeline. */
export interface RunName {
  readonly subject: string;
  readonly runNumber: number;
}

/** A run as a lookup key. */
export function runKey({ subject, runNumber }: RunName): string {
  return `${runNumber} ${subject}`;
}

/** Why a run needs another one. */
export interface Need extends RunName {
  /**
   * - `output`: it reused an output of that run, or its work was sent back there
   * - `fork`: it is a fork of that run
   * - `decision`: a decision of that run applies to one of its outputs
   * - `entity`: it created an entity that is invalid since that run
   */
  readonly what: 'output' | 'fork' | 'decision' | 'entity';
  /** The gate, or gate/leg, that it is about; that of a fork is the whole run. */
  readonly unit: UnitKey;
  /** With `decision`: what was decided. */
  readonly decision?: DecidedRecord['decision'];
}

/**
 * Which other runs each run needs: those without which it could not be shown, resumed or rolled back as now, or without
 * which one of its outputs could be used against a decision. Rather too many than too few. By {@link runKey}.
 * @param records of one pipeline, of all its subjects
 */
export function needsOf(records: readonly GatelineRecord[]): ReadonlyMap<string, readonly Need[]> {
  const found = new Map<string, Map<string, Need>>();
  const rulings = rulingsIn(records);
  const invalidated = invalidationsIn(records);
  for (const record of records) {
    const own = runKey(record);
    const needs = found.get(own) ?? new Map<string, Need>();
    found.set(own, needs);
    const named = record.kind === 'ended' ? rulings.on(record).map(asNeed) : [];
    const ended = isCreation(record) ? (invalidated.get(record.subject) ?? []) : [];
    const later = ended.filter((need) => need.runNumber > record.runNumber);
    for (const need of [...namedBy(record), ...named, ...later]) {
      const key = runKey(need);
      if (key !== own && !needs.has(key)) needs.set(key, need);
    }
  }
  return new Map([...found].map(([key, needs]) => [key, [...needs.values()]]));
}

/** Whether a record makes an entity valid. */
function isCreation(record: GatelineRecord): boolean {
  if (record.kind === 'decided') return record.entity?.action === 'create';
  return record.kind === 'ended' && (record.effects?.creates.length ?? 0) > 0;
}

/** By subject: the runs after which entities of earlier runs may be invalid. Without them they would be valid again. */
function invalidationsIn(records: readonly GatelineRecord[]): ReadonlyMap<string, readonly Need[]> {
  const found = new Map<string, Map<number, Need>>();
  for (const record of records) {
    const { subject, runNumber } = record;
    const invalidates =
      record.kind === 'started'
        ? (record.entities?.invalidates.length ?? 0) > 0
        : record.kind === 'decided' && record.entity !== undefined && record.entity.action !== 'create';
    if (!invalidates) continue;
    const own = found.get(subject) ?? new Map<number, Need>();
    found.set(subject, own);
    if (!own.has(runNumber)) own.set(runNumber, { subject, runNumber, what: 'entity', unit: unitOf(record) });
  }
  return new Map([...found].map(([subject, needs]) => [subject, [...needs.values()]]));
}

/** The runs that a record names. */
function namedBy(record: GatelineRecord): Need[] {
  const { subject: own } = record;
  const unit = unitOf(record);
  const taken = (from: { readonly subject?: string | undefined; readonly runNumber: number }): Need => ({
    subject: from.subject ?? own,
    runNumber: from.runNumber,
    what: 'output',
    unit,
  });
  if (record.kind === 'started') return [];
  if (record.kind === 'ended') return record.source === undefined ? [] : [taken(record.source)];
  const { rework, origin } = record;
  return [
    ...(rework?.over ?? []).map(({ attempt }) => taken(attempt)),
    ...(rework?.from ?? []).map(({ attempt }) => taken(attempt)),
    ...(origin === undefined ? [] : [{ ...taken(origin), what: 'fork' as const }]),
  ];
}

function asNeed(decided: DecidedRecord): Need {
  const { subject, runNumber, decision } = decided;
  return { subject, runNumber, what: 'decision', unit: unitOf(decided), decision };
}

interface Rulings {
  /** The decisions that apply to an output. */
  on(ended: EndedRecord): DecidedRecord[];
}

/** An expired decision applies, too: it decided the outcome of runs that are over. */
function rulingsIn(records: readonly GatelineRecord[]): Rulings {
  const byUnit = Map.groupBy(
    records.filter((record) => record.kind === 'decided' && record.gate !== RUN_GATE) as DecidedRecord[],
    (decided) => keyOf(unitOf(decided), decided.fingerprint),
  );
  const answers = answersIn(records);
  return {
    on: (ended) => {
      if (!isOutput(ended)) return [];
      const unit = unitOf(ended);
      const asked = new Set([null, ended.fingerprint, ended.rework?.base ?? null]);
      return [...asked]
        .flatMap((fingerprint) => byUnit.get(keyOf(unit, fingerprint)) ?? [])
        .filter((decided) =>
          decided.subject === ended.subject
            ? comparePositions(decided, madeAt(ended)) >= 0
            : setsAside(decided, answers),
        );
    },
  };
}

/** Whether an attempt left something that may be reused, if only after it was judged by another contract. */
function isOutput({ value, verdict }: EndedRecord): boolean {
  return value !== undefined || verdict.status !== 'failed';
}

/** Whether a decision keeps its subject from using outputs of other subjects: see `isSetAside` in `plan/reuse.ts`. */
function setsAside(decided: DecidedRecord, answers: ReadonlyMap<string, Position>): boolean {
  const { decision, fingerprint, subject } = decided;
  if (fingerprint !== null) return decision === 'reject' || VOIDING.has(decision);
  const answer = answers.get(JSON.stringify([subject, unitOf(decided)]));
  return VOIDING.has(decision) && (answer === undefined || comparePositions(answer, decided) <= 0);
}

/** The latest output that each unit of a subject made itself. */
function answersIn(records: readonly GatelineRecord[]): ReadonlyMap<string, Position> {
  const latest = new Map<string, Position>();
  for (const record of records) {
    if (record.kind !== 'ended' || record.how === 'reused' || record.value === undefined) continue;
    const key = JSON.stringify([record.subject, unitOf(record)]);
    const known = latest.get(key);
    if (known === undefined || comparePositions(record, known) > 0) latest.set(key, record);
  }
  return latest;
}

function keyOf(unit: UnitKey, fingerprint: Digest | null): string {
  return `${unit} ${fingerprint ?? ''}`;
}
