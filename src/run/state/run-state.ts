import type { UnitKey } from '../../pipeline/pipeline.ts';
import type { Digest } from '../../json/digest.ts';
import type { UsedDecision } from '../records/decisions.ts';
import type { ReadProblem } from '../records/reading.ts';
import type { Content, EndedRecord, Position, StartedRecord } from '../records/record.ts';

/** Every status that a unit of work can have. */
export const UNIT_STATUSES = [
  'pending',
  'ready',
  'blocked',
  'running',
  'paused',
  'passed',
  'partial',
  'failed',
  'lost',
  'skipped',
  'not-applicable',
] as const;

/** What is true of one unit of work now. */
export type UnitStatus = (typeof UNIT_STATUSES)[number];

/** Every status that a run can have. */
export const RUN_STATUSES = ['initializing', 'executing', 'paused', 'error', 'completed', 'rollback'] as const;

export type RunStatus = (typeof RUN_STATUSES)[number];

/** State of one unit, derived from records. */
export interface UnitState {
  readonly key: UnitKey;
  readonly gate: string;
  readonly leg: string;
  readonly status: UnitStatus;
  /** Why it has that status, one sentence. */
  readonly reason: string;
  /** Satisfied, and so is everything upstream: later gates may use it. */
  readonly done: boolean;
  /** The output was taken from an earlier attempt or run instead of running the agent. */
  readonly reused: boolean;
  /** What later gates are handed; `null`: done without an output. `undefined`: not done. */
  readonly exports: Content | null | undefined;
  /** The record that makes it what it is: the satisfying one when done, else the latest. */
  readonly ended: EndedRecord | undefined;
  /** The latest claim. */
  readonly started: StartedRecord | undefined;
  /** The decision that makes it what it is. */
  readonly decided: UsedDecision | undefined;
  /** What of it could not be read, where that keeps its status from being known: the same as `reason`. */
  readonly unread?: string;
  /** The claims in this run that could be read, in order: attempts are numbered by them for display. */
  readonly begun: readonly StartedRecord[];
  /** Claims in this run, unreadable ones too. */
  readonly attempts: number;
}

/** Something about the records that a person should know. Never makes the fold fail. */
export interface RunProblem {
  readonly code:
    | 'UNREADABLE_RECORD'
    | 'CONFLICTING_RECORDS'
    | 'UNKNOWN_UNIT'
    | 'ENDED_WITHOUT_START'
    | 'CLAIM_MISMATCH'
    | 'OUTPUT_MISSING'
    | 'DECISION_IGNORED'
    | 'DECISION_UNVERIFIED';
  readonly message: string;
  readonly unit?: UnitKey;
}

/** What is true of a run: a pure fold of its records. Never stored as the truth. */
export interface RunState {
  readonly pipeline: string;
  readonly subject: string;
  /** 0 when there is no run yet. */
  readonly runNumber: number;
  /** The latest call (locally) or run attempt (GitHub) that wrote to it. */
  readonly runAttempt: number;
  readonly status: RunStatus;
  /** In the graph's order. */
  readonly units: ReadonlyMap<UnitKey, UnitState>;
  readonly problems: readonly RunProblem[];
  /** Time of the first and the latest record, for display only. */
  readonly startedAt: string | undefined;
  readonly updatedAt: string | undefined;
}

/** What the fold is told by whoever looked at the world. All of it may be left out. */
export interface Told {
  /** Now, for decisions and claims that expire. ISO 8601, UTC. */
  readonly now: string;
  /** Writers known to be gone, as {@link writerKey} gives them. */
  readonly deadWriters?: ReadonlySet<string>;
  /** Work that is held by a process and comes before this cannot still be going on (a later run attempt exists). */
  readonly supersededBefore?: Pick<Position, 'runNumber' | 'runAttempt'>;
  /** Fingerprints as they would be now, where they are known. */
  readonly fingerprints?: ReadonlyMap<UnitKey, Digest>;
  /** Contents that were looked for and are not there as they should be, and what is wrong; `null`: they are not there. */
  readonly missingContent?: ReadonlyMap<Digest, ReadProblem | null>;
}

/** Identity of a process: equal keys are one process. */
export function writerKey(writer: { host: string; boot: string; pid: number; pidStart: string }): string {
  return [writer.host, writer.boot, writer.pid, writer.pidStart].join('|');
}

const RESULTS: ReadonlySet<UnitStatus> = new Set([
  'paused',
  'passed',
  'partial',
  'failed',
  'skipped',
  'not-applicable',
]);

/** The attempt that made the unit what it is; for a unit that has no result (yet), what `ended` says is from an attempt before. */
export function resultOf(unit: UnitState): EndedRecord | undefined {
  return RESULTS.has(unit.status) ? unit.ended : undefined;
}

const WORST_FIRST: readonly UnitStatus[] = [
  'failed',
  'lost',
  'partial',
  'paused',
  'running',
  'blocked',
  'ready',
  'pending',
  'skipped',
  'passed',
  'not-applicable',
];

/** The status of a matrix gate: the first of that order which one of its legs has. `undefined`: there are no legs. */
export function worstStatus(legs: readonly UnitStatus[]): UnitStatus | undefined {
  return WORST_FIRST.find((status) => legs.includes(status));
}
