import { attemptsOf, type Attempt } from '../../history/attempts.ts';
import { spentBy, type Spending } from '../../history/budget.ts';
import { keptSubject } from '../../history/entry.ts';
import { dayIn, DEFAULT_TIMEZONE, startOfDay } from '../../history/statistics/days.ts';
import type { BudgetAmount } from '../../pipeline/budget.ts';
import type { Pipeline, UnitKey } from '../../pipeline/pipeline.ts';
import type { GatelineRecord, StartedRecord } from '../../run/records/record.ts';
import type { EnginePorts } from '../ports.ts';

/** A pipeline for a subject. */
export interface OneSubject {
  readonly ports: EnginePorts;
  readonly pipeline: Pipeline;
  readonly subject: string;
}

/** The key of a subject in `EnginePorts.spending`. */
export function spendingKey({ id }: Pick<Pipeline, 'id'>, subject: string): string {
  return `${id}/${subject}`;
}

/** The reservation of a unit, computed from its own attempts. */
export type ReservationOf = (key: UnitKey, own: readonly Attempt[]) => BudgetAmount;

/** The attempts, of any run of a subject, that began today in the time zone of the pipeline. */
export function attemptsToday({ ports, pipeline, subject }: OneSubject, records: readonly GatelineRecord[]): Attempt[] {
  const dayOf = dayIn(pipeline.timezone ?? DEFAULT_TIMEZONE);
  const today = dayOf(ports.now().toISOString());
  const recent = records.filter(
    (record) => record.kind !== 'decided' && dayOf(record.kind === 'ended' ? record.startedAt : record.at) === today,
  );
  return [...new Set(recent.map(({ runNumber }) => runNumber))].flatMap((runNumber) =>
    attemptsOf(recent, { pipeline: pipeline.id, subject, runNumber }),
  );
}

/**
 * What other subjects of the pipeline spent today, and what their gates that run have reserved, by subject: from the
 * records of those that had a run today. An attempt that some other process works on is open. What runs elsewhere spent
 * has no subject: ''.
 */
export async function otherSubjects(
  { ports, pipeline, subject: own }: OneSubject,
  reservationOf: ReservationOf,
): Promise<Map<string, Spending>> {
  const zone = pipeline.timezone ?? DEFAULT_TIMEZONE;
  const since = startOfDay(dayIn(zone)(ports.now().toISOString()), zone)!;
  const active = await ports.pastRuns?.subjectsSince(pipeline.id, since);
  const found = new Map<string, Spending>();
  const elsewhere = await ports.spentSince?.(pipeline.id, since);
  if (elsewhere !== undefined) found.set('', { spent: elsewhere, reserved: [] });
  for (const subject of await ports.store.subjects(pipeline.id)) {
    if (subject === own || active?.has(keptSubject(subject)) === false) continue;
    // A call of this process says itself what it spends.
    if (ports.spending?.has(spendingKey(pipeline, subject))) continue;
    const { records } = await ports.store.list(pipeline.id, subject);
    found.set(subject, await spendingOf(ports, attemptsToday({ ports, pipeline, subject }, records), reservationOf));
  }
  return found;
}

async function spendingOf(
  ports: EnginePorts,
  attempts: readonly Attempt[],
  reservationOf: ReservationOf,
): Promise<Spending> {
  const running = new Set<UnitKey>();
  for (const { key, started, ended } of attempts)
    if (ended === undefined && started !== undefined && (await isOpen(ports, started))) running.add(key);
  const of = (unit: UnitKey): Attempt[] => attempts.filter(({ key }) => key === unit);
  return { spent: spentBy(attempts, running), reserved: [...running].map((key) => reservationOf(key, of(key))) };
}

/** Whether an attempt without an end may still be worked on. */
async function isOpen(ports: EnginePorts, { deadline, by }: StartedRecord): Promise<boolean> {
  if (deadline !== undefined) return Date.parse(deadline) > ports.now().getTime();
  return !(await ports.isGone(by));
}
