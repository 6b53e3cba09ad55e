import { sourceText } from '../../run/records/attempt-text.ts';
import { sourceOf } from '../../run/records/source.ts';
import type { EndedRecord } from '../../run/records/record.ts';
import type { Unit } from '../../run/records/unit.ts';
import {
  findCheckpoint,
  isOfResumed,
  keptBy,
  producedAt,
  rulingOf,
  waitsForPerson,
  withdrawnElsewhere,
  type Checkpoint,
  type CheckpointQuery,
} from '../../run/plan/reuse.ts';
import { approversText } from '../../run/records/decisions.ts';
import { isGoodEnough, verdictSatisfies } from '../../run/state/fold-unit.ts';
import type { CheckpointSource, FoundCheckpoints } from '../ports.ts';
import type { Call } from '../call/call.ts';
import { missingOf } from '../call/content.ts';
import { latestOutput, learnDecisions } from '../upstream/learn-decisions.ts';
import { isBorneOut, judgeAgain, type JudgedAgain } from '../upstream/judge-again.ts';
import type { Work } from './prepared-unit.ts';

/** An earlier output that is used instead of running the agent. */
export interface FoundWork {
  readonly choice: 'keep' | 'reuse';
  readonly reason: string;
  readonly checkpoint: EndedRecord;
  /** The subject that it belongs to, if it is another one. */
  readonly subject: string | undefined;
  /** When its agent began. */
  readonly producedAt: string;
  /** Its verdict under the current contract, if the contract has changed. */
  readonly judged?: JudgedAgain;
}

/** The result of searching for an earlier output. */
export interface Search {
  readonly found?: FoundWork;
  /** Why one that was found is not used after all, beyond what records say about it by themselves. */
  readonly refused?: string | undefined;
  /** Problems of searching elsewhere. */
  readonly notices: readonly string[];
}

type Usable = Exclude<Checkpoint, { readonly choice: 'none' }>;

/** The current query of {@link findCheckpoint} for a unit. */
export function queryFor(
  call: Pick<Call, 'journal' | 'ports' | 'graph' | 'resumedRun'>,
  work: Pick<Work, 'fingerprint' | 'contract'>,
  except?: ReadonlySet<EndedRecord>,
): CheckpointQuery {
  return {
    fingerprint: work.fingerprint,
    contract: work.contract.digest,
    runNumber: call.journal.call.runNumber,
    now: call.ports.now().toISOString(),
    graph: call.graph,
    ...(call.resumedRun !== undefined && { resumedRun: call.resumedRun }),
    ...(except && { except }),
  };
}

/**
 * The newest earlier attempt that is valid: its content exists and the contract is met. If no listed record is, other
 * sources are asked for one by the fingerprint.
 */
export async function searchWork(call: Call, unit: Unit, work: Work): Promise<Search> {
  const known = await findWork(call, unit, work);
  if (known.found !== undefined || !mayComeFromElsewhere(call, unit)) return known;
  const { notices, isMore } = await askElsewhere(call, unit, work);
  if (!isMore) return { ...known, notices };
  await learnDecisions(call, unit, [latestOutput(call, unit, work.fingerprint)]);
  const elsewhere = await findWork(call, unit, work);
  return { refused: known.refused, ...elsewhere, notices };
}

/** Without all records nothing is reused, and with `reuse: never` outputs of other runs are ignored. */
function mayComeFromElsewhere({ journal }: Call, { gate }: Unit): boolean {
  return !journal.archive().blind && (gate.reuse !== 'never' || journal.call.runAttempt > 1);
}

/** Includes what other sources have for this fingerprint. Returns whether there is anything, and their problems. */
async function askElsewhere(
  call: Call,
  unit: Unit,
  { fingerprint }: Work,
): Promise<{ readonly isMore: boolean; readonly notices: readonly string[] }> {
  const { listings, notices } = await askSource(call, unit, (source, place) => source.find(place, fingerprint));
  const isMore = listings.length > 0;
  if (isMore) call.journal.include(unit.key, listings);
  return { isMore, notices };
}

/**
 * The checkpoints that the source of checkpoints has for a unit; empty if there is no source. Its problems are notices
 * of the unit.
 */
export async function askSource(
  { ports, assignment, observe }: Pick<Call, 'ports' | 'assignment' | 'observe'>,
  { key, gate, leg }: Unit,
  ask: (
    source: CheckpointSource,
    place: Parameters<CheckpointSource['find']>[0],
  ) => ReturnType<CheckpointSource['find']> | undefined,
): Promise<FoundCheckpoints> {
  const place = { pipeline: assignment.pipeline.id, subject: assignment.subject, gate: gate.id, leg: leg.id };
  const found = (ports.checkpoints && (await ask(ports.checkpoints, place))) ?? { listings: [], notices: [] };
  for (const message of found.notices) await observe({ type: 'notice', unit: key, message });
  return found;
}

async function findWork(call: Call, unit: Unit, work: Work): Promise<Search> {
  const { journal } = call;
  const except = new Set<EndedRecord>();
  let refused: string | undefined;
  for (;;) {
    const query = queryFor(call, work, except);
    const found = findCheckpoint(unit, journal.archive(), query);
    if (found.choice === 'none') return { refused, notices: [] };
    const missing = await missingOf(call.ports.store, found.ended);
    if (missing.size > 0) {
      journal.setMissing(missing);
    } else {
      if (await learnDecisions(call, unit, [found.ended])) continue;
      const withdrawn = await withdrawnAtItsOrigin(call, unit, work, found.ended);
      const usable = withdrawn === undefined ? await asWork(call, unit, found, query) : undefined;
      if (usable !== undefined) return { found: usable, notices: [] };
      refused ??= withdrawn;
    }
    except.add(found.ended);
  }
}

/**
 * Decisions of another subject about an output that was reused from it apply to the reused output, too. On GitHub the
 * decisions of other runs are not known. An output that was adopted is a decision of this subject.
 */
async function withdrawnAtItsOrigin(
  call: Call,
  unit: Unit,
  work: Work,
  ended: EndedRecord,
): Promise<string | undefined> {
  const { journal, assignment } = call;
  if (ended.how !== 'reused' || ended.source?.subject === undefined || call.holder === 'job') return undefined;
  if (!journal.archive().elsewhere.has(unit.key)) await askElsewhere(call, unit, work);
  const now = call.ports.now().toISOString();
  return withdrawnElsewhere(unit, ended, journal.archive(), { now, subject: assignment.subject });
}

/** A checkpoint as work, if its output meets the current contract. */
async function asWork(call: Call, unit: Unit, found: Usable, query: CheckpointQuery): Promise<FoundWork | undefined> {
  const { ended, home } = found;
  const ruling = rulingOf(unit, ended, home, query.now);
  const mayWait = isOfResumed(ended, home, query);
  const isUsable = (judged: Pick<EndedRecord, 'verdict'>): boolean =>
    isGoodEnough(unit, judged, ruling) || (mayWait && waitsForPerson(unit, judged, ruling));
  const about = { checkpoint: ended, subject: home.other, producedAt: producedAt(ended, home) };
  if (found.choice === 'judge-again') {
    const judged = await judgeAgain(call, unit, ended);
    const waits = verdictSatisfies(unit, judged, ruling) ? '' : waitingText(unit);
    const reason = `the output of ${found.reason} meets the current contract${waits}`;
    return isUsable(judged) ? { ...about, choice: 'reuse', reason, judged } : undefined;
  }
  // Locally only the engine writes records; jobs of a CI run share theirs.
  if (call.holder === 'job' && !(await isBorneOut(call, unit, ended, isUsable))) return undefined;
  const kept = call.journal.state().units.get(unit.key)!;
  const choice = kept.done && kept.ended === ended ? 'keep' : 'reuse';
  const waits = verdictSatisfies(unit, ended, ruling) ? '' : waitingText(unit);
  const why =
    choice === 'keep' && ended.how === 'ran'
      ? ` since ${found.reason}`
      : `; reused from ${originOf(call, unit, found)}`;
  const keeper = keptBy(ended, home);
  const same = keeper === undefined ? 'inputs unchanged' : `kept by ${keeper} in spite of changes`;
  return { ...about, choice, reason: `${same}${why}${waits}` };
}

/** It is used, and nothing after it starts until somebody has approved it. */
function waitingText({ gate: { approval } }: Unit): string {
  return `; it waits for approval${approval === undefined ? '' : approversText(approval)}`;
}

function originOf({ journal, assignment, ports }: Call, { key }: Unit, { ended, reason, home }: Usable): string {
  if (home.other === undefined && ended.runNumber === journal.call.runNumber)
    return ended.source === undefined ? reason : sourceText(ended.source, ended);
  const { decided = [] } = home.decisions.get(key) ?? {};
  const us = { subject: assignment.subject, runId: ports.me.runId };
  return sourceText(sourceOf(ended, us, decided), ended);
}
