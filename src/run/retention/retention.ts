import { actorOf, runDecisions } from '../records/decisions.ts';
import type { ReadProblem } from '../records/reading.ts';
import {
  comparePositions,
  recordName,
  RUN_GATE,
  unitOf,
  type DecidedRecord,
  type GatelineRecord,
  type StartedRecord,
} from '../records/record.ts';
import { needsOf, runKey, type Need, type RunName } from './needs.ts';

/** Which runs are removed. */
export interface RetentionRules {
  /** Runs stay until their last record is older than this. Milliseconds. */
  readonly older: number;
  /** This many runs of each subject stay, the newest; at least 1. */
  readonly keep: number;
  /** Files of contracts: what an agent made of them in the user's folder must not be forgotten. */
  readonly contracts?: ReadonlySet<string>;
  /** Runs that are treated as pinned, and as not pinned, whatever their records say. By {@link runKey}. */
  readonly pin?: ReadonlySet<string>;
  readonly unpin?: ReadonlySet<string>;
}

/**
 * Why a run stays:
 * - `newest`: it is one of the newest of its subject. The newest of all always stays: only that can be open, and its
 *   number must not be used again
 * - `pinned`: a person said so
 * - `recent`: it is not old enough
 * - `at-work`: an agent that runs by itself may still work for it
 * - `contract`: its agents worked in the user's folder, and may have written a contract
 * - `processes`: processes of its gates or commands run, or may run; without its records nothing would end them
 * - `unread`: a record of it cannot be read
 * - `needed`: by a run that stays
 */
export type WhyKept = 'newest' | 'pinned' | 'recent' | 'at-work' | 'processes' | 'contract' | 'unread' | 'needed';

/** A run that stays. */
export interface KeptRun extends RunName {
  readonly why: WhyKept;
  /** The reason in a sentence. */
  readonly reason: string;
}

/** A run that is removed. */
export interface OldRun extends RunName {
  /** Times of its first and its last record. */
  readonly startedAt: string;
  readonly updatedAt: string;
  readonly records: readonly GatelineRecord[];
}

/** The result of {@link planRetention}. */
export interface RetentionPlan {
  /** By subject and number. */
  readonly keep: readonly KeptRun[];
  /**
   * In the order of removal: after each group, every run that is left has all that it needs. Runs of one group need
   * each other.
   */
  readonly remove: readonly (readonly OldRun[])[];
}

/** The runs of a pipeline, from their records. */
export interface KnownRuns {
  /** Of one pipeline, of all its subjects. */
  readonly records: readonly GatelineRecord[];
  /** The unreadable records of each subject. */
  readonly unread: ReadonlyMap<string, readonly ReadProblem[]>;
  /** Runs of whose gates and commands processes run, or may run: which, as a clause. By {@link runKey}. */
  readonly living?: ReadonlyMap<string, string>;
  /** ISO 8601, UTC. */
  readonly now: string;
}

/** Decides which runs of a pipeline stay, and why. Pure, and the same for any order of the records. */
export function planRetention(known: KnownRuns, rules: RetentionRules): RetentionPlan {
  const { records: found, unread, now, living = new Map<string, string>() } = known;
  const records = found.toSorted((a, b) => compareTexts(a.at, b.at) || compareTexts(recordName(a), recordName(b)));
  const runs = runsOf(records);
  const kept = new Map<string, KeptRun>();
  for (const [subject, ofSubject] of Map.groupBy(runs.values(), (run) => run.subject)) {
    const problems = unread.get(subject) ?? [];
    const newest = newestRuns(ofSubject, problems, Math.max(1, rules.keep));
    for (const run of ofSubject) {
      const reason = whyKept(run, { newest, problems, now, living, rules });
      if (reason !== undefined) kept.set(runKey(run), { ...nameOf(run), ...reason });
    }
  }
  const needs = needsOf(records);
  const open = [...kept.values()];
  for (let by = open.pop(); by !== undefined; by = open.pop()) {
    for (const need of needs.get(runKey(by)) ?? []) {
      const key = runKey(need);
      if (kept.has(key) || !runs.has(key)) continue;
      const needed: KeptRun = { ...nameOf(need), why: 'needed', reason: neededText(by, need) };
      kept.set(key, needed);
      open.push(needed);
    }
  }
  const old = [...runs.values()].filter((run) => !kept.has(runKey(run))).toSorted(compareRuns);
  return { keep: [...kept.values()].toSorted(compareRuns), remove: inOrder(old, needs) };
}

function runsOf(records: readonly GatelineRecord[]): Map<string, OldRun> {
  const runs = Map.groupBy(records, runKey);
  return new Map(
    [...runs].map(([key, some]) => {
      const times = some.map(({ at }) => at).toSorted();
      return [key, { ...nameOf(some[0]!), startedAt: times[0]!, updatedAt: times.at(-1)!, records: some }];
    }),
  );
}

function nameOf({ subject, runNumber }: RunName): RunName {
  return { subject, runNumber };
}

/** The numbers of so many runs of a subject, the newest first. A record that cannot be read is one of its run. */
function newestRuns(runs: readonly OldRun[], problems: readonly ReadProblem[], count: number): readonly number[] {
  const unread = problems.flatMap(({ names }) => names?.runNumber ?? []);
  const numbers = new Set([...runs.map(({ runNumber }) => runNumber), ...unread]);
  return [...numbers].toSorted((a, b) => b - a).slice(0, count);
}

interface AroundRun extends Required<Pick<KnownRuns, 'now' | 'living'>> {
  readonly newest: readonly number[];
  readonly problems: readonly ReadProblem[];
  readonly rules: RetentionRules;
}

/** Why a run stays, whatever other runs need; `undefined`: it does not. */
function whyKept(
  run: OldRun,
  { newest, problems, now, living, rules }: AroundRun,
): Pick<KeptRun, 'why' | 'reason'> | undefined {
  if (run.runNumber === newest[0]) return { why: 'newest', reason: 'the newest run of its subject' };
  const pinned = pinOf(run, rules);
  if (pinned !== undefined) return { why: 'pinned', reason: pinned };
  const isUnread = problems.some(({ names }) => names === undefined || names.runNumber === run.runNumber);
  if (isUnread) return { why: 'unread', reason: 'not all of its records can be read: `gateline doctor` names them' };
  if (Date.parse(run.updatedAt) > Date.parse(now) - rules.older)
    return { why: 'recent', reason: `its last record is of ${run.updatedAt}` };
  if (newest.includes(run.runNumber))
    return { why: 'newest', reason: `one of the newest ${newest.length} of its subject` };
  const [claim] = claimsAtWork(run.records, now);
  if (claim !== undefined) return { why: 'at-work', reason: `an agent may still work on ${unitOf(claim)}` };
  const processes = living.get(runKey(run));
  if (processes !== undefined) return { why: 'processes', reason: processes };
  const writer = contractWriter(run, rules.contracts ?? new Set());
  if (writer === undefined) return undefined;
  return { why: 'contract', reason: `${writer} may have written a contract in your folder` };
}

function pinOf(run: OldRun, { pin, unpin }: RetentionRules): string | undefined {
  const key = runKey(run);
  if (pin?.has(key)) return 'pinned';
  const decided = run.records.filter((one): one is DecidedRecord => one.kind === 'decided' && one.gate === RUN_GATE);
  const { pinned } = runDecisions(decided);
  return pinned === undefined || unpin?.has(key) ? undefined : `pinned by ${actorOf(pinned)}: ${pinned.reason}`;
}

/** A gate whose agent worked in the user's folder and changed one of these files, or may have. */
function contractWriter({ records }: OldRun, contracts: ReadonlySet<string>): string | undefined {
  if (contracts.size === 0) return undefined;
  const ends = records.filter((one) => one.kind === 'ended');
  const writer = records.find((one) => {
    if (one.kind !== 'started' || one.place !== 'in-place') return false;
    const end = ends.find((ended) => unitOf(ended) === unitOf(one) && comparePositions(ended, one) === 0);
    if (end?.snapshot === undefined) return true;
    return [...end.files, ...end.touched].some(({ path }) => contracts.has(path));
  });
  return writer && unitOf(writer);
}

/**
 * The claims of agents that run by themselves and may still be at work.
 * @param records of any pipelines and subjects
 * @param now ISO 8601, UTC
 */
export function claimsAtWork(records: readonly GatelineRecord[], now: string): StartedRecord[] {
  const keyOf = (one: GatelineRecord): string => JSON.stringify([one.pipeline, one.subject, unitOf(one)]);
  const ended = Map.groupBy(
    records.filter(({ kind }) => kind === 'ended'),
    keyOf,
  );
  return records.filter(
    (one): one is StartedRecord =>
      one.kind === 'started' &&
      one.holder === 'open' &&
      (one.deadline ?? now) >= now &&
      !ended.get(keyOf(one))?.some((end) => comparePositions(end, one) === 0),
  );
}

function neededText(by: RunName, { subject, what, unit, decision }: Need): string {
  const run = by.subject === subject ? `run ${by.runNumber}` : `run ${by.runNumber} of ${by.subject}`;
  if (what === 'fork') return `${run} is a fork of it`;
  if (what === 'entity') return `${run} created an entity that ${unit} made invalid in it`;
  return what === 'output' ? `${run} uses its output of ${unit}` : `its ${decision} of ${unit} applies to ${run}`;
}

/** Runs that others need come after these. Where runs need each other in a circle, they and the rest go together. */
function inOrder(old: readonly OldRun[], needs: ReadonlyMap<string, readonly Need[]>): OldRun[][] {
  const left = new Map(old.map((run) => [runKey(run), run]));
  const needed = (run: OldRun): string[] => (needs.get(runKey(run)) ?? []).map(runKey).filter((key) => left.has(key));
  const takers = new Map<string, number>();
  for (const run of old) for (const key of needed(run)) takers.set(key, (takers.get(key) ?? 0) + 1);
  const groups: OldRun[][] = [];
  const free = old.filter((run) => !takers.has(runKey(run))).toReversed();
  for (let run = free.pop(); run !== undefined; run = free.pop()) {
    groups.push([run]);
    for (const key of needed(run)) {
      takers.set(key, takers.get(key)! - 1);
      if (takers.get(key) === 0) free.push(left.get(key)!);
    }
  }
  const gone = new Set(groups.flat());
  const rest = old.filter((run) => !gone.has(run));
  return rest.length === 0 ? groups : [...groups, rest];
}

function compareRuns(a: RunName, b: RunName): number {
  return compareTexts(a.subject, b.subject) || a.runNumber - b.runNumber;
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
