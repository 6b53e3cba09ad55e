import type { UnitKey } from '../../pipeline/pipeline.ts';
import type { Digest } from '../../json/digest.ts';
import type { ReworkDecision } from '../records/reworks.ts';
import type { RunDecisions, UsedDecision } from '../records/decisions.ts';
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

/** The current status of one unit of work. */
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
  /** The reason for the status, one sentence. */
  readonly reason: string;
  /** Satisfied, and so is everything upstream: later gates may use it. */
  readonly done: boolean;
  /** The output was taken from an earlier attempt or run instead of running the agent. */
  readonly reused: boolean;
  /** The exports that later gates receive; `null`: done without an output. `undefined`: not done. */
  readonly exports: Content | null | undefined;
  /** The record that determines the status: the satisfying one if done, otherwise the latest. */
  readonly ended: EndedRecord | undefined;
  /** The latest claim. */
  readonly started: StartedRecord | undefined;
  /** The decisions of this run that sent its work back and are in force, in order. */
  readonly reworks: readonly ReworkDecision[];
  /** The decision that determines the status. */
  readonly decided: UsedDecision | undefined;
  /** The decision of this run by which `ended` adopted its output. */
  readonly adopted?: UsedDecision;
  /** It is not done, and outputs from outside took its place for units that need it: a state file, the input, both. */
  readonly standIns?: ReadonlySet<'file' | 'input'>;
  /** Set if it is blocked by what the pipeline may spend, or lacks an entity: no record says so. */
  readonly blockedBy?: 'budget' | 'entities';
  /** It is done, and runs again: what it did to entities is no longer so. No record says so. */
  readonly isStale?: true;
  /** The part that could not be read, if it makes the status unknown: same as `reason`. */
  readonly unread?: string;
  /** The readable claims of this run, in order. */
  readonly begun: readonly StartedRecord[];
  /** What attempts are numbered by for display: `begun`, and outputs that were adopted without a claim, in order. */
  readonly numbered: readonly (StartedRecord | EndedRecord)[];
  /** Number of claims in this run, including unreadable ones. */
  readonly attempts: number;
}

/** A problem with the records that a person should know about. Never makes the fold fail. */
export interface RunProblem {
  readonly code:
    | 'UNREADABLE_RECORD'
    | 'CONFLICTING_RECORDS'
    | 'UNKNOWN_UNIT'
    | 'ENDED_WITHOUT_START'
    | 'CLAIM_MISMATCH'
    | 'OUTPUT_MISSING'
    | 'DECISION_IGNORED'
    | 'DECISION_UNVERIFIED'
    | 'ROLLBACK_UNFINISHED'
    | 'APPLY_UNFINISHED';
  readonly message: string;
  readonly unit?: UnitKey;
}

/** The state of a run: a pure fold of its records. A stored copy is never authoritative. */
export interface RunState {
  readonly pipeline: string;
  readonly subject: string;
  /** 0 if there is no run yet. */
  readonly runNumber: number;
  /** The latest call (locally) or run attempt (GitHub) that wrote to it. */
  readonly runAttempt: number;
  readonly status: RunStatus;
  /** The goal of the run when its latest attempt started. `undefined`: there was no task. */
  readonly task: string | undefined;
  /** Decisions about the run as a whole that are in force. */
  readonly decided: RunDecisions;
  /** In graph order. */
  readonly units: ReadonlyMap<UnitKey, UnitState>;
  readonly problems: readonly RunProblem[];
  /** Time of the first and the latest record, for display only. */
  readonly startedAt: string | undefined;
  readonly updatedAt: string | undefined;
}

/** External facts for the fold. All of them are optional. */
export interface ExternalFacts {
  /** The current time, for decisions and claims that expire. ISO 8601, UTC. */
  readonly now: string;
  /** Writers that no longer run, as {@link writerKey} returns them. */
  readonly deadWriters?: ReadonlySet<string>;
  /** Work of a process before this position has ended (a later run attempt exists). */
  readonly supersededBefore?: Pick<Position, 'runNumber' | 'runAttempt'>;
  /** Current fingerprints, if known. */
  readonly fingerprints?: ReadonlyMap<UnitKey, Digest>;
  /** Contents that were found to be missing or altered, with the problem; `null`: missing. */
  readonly missingContent?: ReadonlyMap<Digest, ReadProblem | null>;
  /** The changes in the requests of units since an output was approved, if they are known: a clause for each change. */
  readonly changes?: ReadonlyMap<UnitKey, string>;
  /** The caller has verified what attempts received from their needs: the graph may leave the needs out. */
  readonly needsVerified?: true;
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

/**
 * The attempt that determines the unit's status; if the unit has no result (yet), `ended` is from an earlier attempt.
 */
export function resultOf(unit: UnitState): EndedRecord | undefined {
  return RESULTS.has(unit.status) ? unit.ended : undefined;
}

/**
 * A state with units that may not start because of the budget: they are blocked, and a run that nothing else stops and
 * in which nothing runs is paused.
 * @param reasons by unit
 */
export function pausedByBudget(state: RunState, reasons: ReadonlyMap<UnitKey, string>): RunState {
  if (reasons.size === 0) return state;
  const units = withBlocked(state.units, reasons, 'budget');
  const open = [...units.values()].filter(({ done }) => !done);
  const isAtWork = open.some(({ status }) => status === 'running' || status === 'ready');
  const hasFailed = open.some(({ status, unread }) => STOPPED.has(status) || unread !== undefined);
  const isPaused = (state.status === 'executing' || state.status === 'error') && !isAtWork && !hasFailed;
  return { ...state, units, status: isPaused ? 'paused' : state.status };
}

/** A state with units that lack entities: they are blocked. @param reasons by unit */
export function blockedByEntities(state: RunState, reasons: ReadonlyMap<UnitKey, string>): RunState {
  return reasons.size === 0 ? state : { ...state, units: withBlocked(state.units, reasons, 'entities') };
}

/** The first unit that lacks an entity, if nothing else of the run can continue. */
export function lackingUnit({ units }: Pick<RunState, 'units'>): UnitState | undefined {
  const open = [...units.values()].filter(({ done }) => !done);
  const isOther = ({ status }: UnitState): boolean => STOPPED.has(status) || OPEN.has(status);
  return open.some(isOther) ? undefined : open.find(({ blockedBy }) => blockedBy === 'entities');
}

/** A state with done units that run again because of entities. */
export function withStale(state: RunState, stale: readonly UnitKey[]): RunState {
  const units = new Map(state.units);
  for (const key of stale) units.set(key, { ...units.get(key)!, isStale: true });
  return stale.length === 0 ? state : { ...state, units };
}

function withBlocked(
  units: RunState['units'],
  reasons: ReadonlyMap<UnitKey, string>,
  blockedBy: NonNullable<UnitState['blockedBy']>,
): Map<UnitKey, UnitState> {
  const now = new Map(units);
  for (const [key, reason] of reasons) now.set(key, { ...now.get(key)!, status: 'blocked', reason, blockedBy });
  return now;
}

const OPEN: ReadonlySet<UnitStatus> = new Set(['ready', 'running', 'paused']);

const STOPPED: ReadonlySet<UnitStatus> = new Set(['failed', 'lost', 'partial']);

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

/** The status of a matrix gate: the first in that order that one of its legs has. `undefined`: there are no legs. */
export function worstStatus(legs: readonly UnitStatus[]): UnitStatus | undefined {
  return WORST_FIRST.find((status) => legs.includes(status));
}
