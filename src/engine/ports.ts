import type { Agent } from '../agent/agent.ts';
import type { AttemptFiles } from '../agent/attempt-files.ts';
import type { Environment } from '../environment.ts';
import type { SpendingToday, Spent } from '../history/budget.ts';
import type { GatesEntry } from '../history/entry.ts';
import type { HistoryLog } from '../history/log.ts';
import type { Platform } from '../run/plan/request.ts';
import type { Digest } from '../json/digest.ts';
import type {
  Content,
  DecidedRecord,
  EndedRecord,
  GatelineRecord,
  StartedRecord,
  Writer,
} from '../run/records/record.ts';
import type { LeftProcess } from '../run/records/effects.ts';
import type { PlannedUnit } from '../run/plan/plan.ts';
import type { RecordListing } from '../run/records/reading.ts';
import type { Unit, UnitGraph } from '../run/records/unit.ts';
import type { RunState } from '../run/state/run-state.ts';
import type { RecordStore } from '../store/record-store.ts';
import type { UnderReview, UnitKey } from '../pipeline/pipeline.ts';
import type { Branches } from '../workspace/branches.ts';
import type { PutReason } from '../run/files/put-reason.ts';
import type { StateFiles } from './call/guide-files.ts';
import type { Snapshot, TreeId, Workspace } from '../workspace/workspace.ts';

/** Everything that the engine needs from outside. The entry points (CLI, action, library) create it. */
export interface EnginePorts {
  readonly store: RecordStore;
  readonly workspace: Workspace;
  /**
   * The version with which gates start, if it is not the user's folder. For a subject of a set, it is the version with
   * the files of the subjects that it needs.
   */
  readonly startVersion?: () => Promise<StartVersion>;
  /** Absent in CI. */
  readonly putLists?: PutLists;
  /** Branches of the user's repository, for delivery. Absent in CI. */
  readonly branches?: Branches;
  readonly agent: Agent;
  readonly attempts: AttemptFiles;
  /** The same for commands, which are part of no run: processes that a killed run left are not theirs. Absent in CI. */
  readonly commands?: AttemptFiles;
  readonly now: () => Date;
  /** The writer of this call's records. */
  readonly me: Writer;
  /** True only if this writer's process has certainly ended. */
  readonly isGone: (writer: Writer) => Promise<boolean>;
  readonly processes: ProcessPlace;
  /**
   * Does work while no other process reads the state of entities to write a claim. Only for a moment, and not within
   * itself. Absent in CI, where no other process uses the entities of a job.
   * @throws GatelineError `ENGINE_BUSY` if another process does not let go of it
   */
  readonly exclusively?: <T>(work: () => Promise<T>) => Promise<T>;
  /** The caller's environment: agents inherit it; secrets and inherited variables are read from it. */
  readonly environment: Environment;
  readonly platform: Platform;
  /** The output of a tool's version command, trimmed. */
  readonly toolVersion: (command: string) => Promise<string>;
  /** Where to read contracts if not from the workspace: the commit that a CI run trusts. */
  readonly contractFiles?: Pick<Workspace, 'readText'>;
  /** Absent: agents find no state files next to them, and none of theirs is read. */
  readonly stateFiles?: StateFiles;
  /** Values that are always redacted although no gate names them, by name: credentials for the services of a CI job. */
  readonly alsoSecret?: Readonly<Record<string, string>>;
  /** Used if the pipeline has `snapshots.database`. */
  readonly database?: DatabaseSnapshots;
  /** The records of all pipelines and subjects of the workspace: they name the versions that its object store needs. */
  readonly everyRecord?: () => Promise<RecordListing>;
  /**
   * The decisions about a run, for a call that other processes may decide about while it works. Absent in CI, where a
   * job works on one gate.
   */
  readonly decisionsIn?: (pipeline: string, subject: string, runNumber: number) => Promise<RecordListing>;
  /** Queried if no listed record can be reused. */
  readonly checkpoints?: CheckpointSource;
  /** Decisions from where no job of a CI run can write. */
  readonly decisions?: DecisionSource;
  /** The change that the run is about. */
  readonly underReview?: () => Promise<UnderReview>;
  /** Data about earlier runs from the history, for budgets. Absent in CI. */
  readonly pastRuns?: PastRuns;
  /**
   * The spending of other runs of a pipeline that started at a time (ISO 8601, UTC) or later. A CI job can check the
   * budget of a day only with it.
   */
  readonly spentSince?: (pipeline: string, time: string) => Promise<Spent>;
  /** The spending of this process's calls today, by pipeline and subject. Each call adds its own. Absent in CI. */
  readonly spending?: Map<string, SpendingToday>;
  /**
   * Where the outcomes of runs are kept. No output is reused because of them. Absent in CI: the report keeps them.
   */
  readonly history?: HistoryLog;
}

/** Where the processes run that gates and commands leave for an entity. */
export interface ProcessPlace {
  /** This machine since it started, in CI also this job: a process of another place is not known to run. */
  readonly place: Pick<LeftProcess, 'host' | 'boot'>;
  /** Whether a process certainly runs, here. */
  isRunning(one: LeftProcess): Promise<boolean>;
}

/** Data about earlier runs from the history. */
export interface PastRuns {
  /** The gates of the runs of a pipeline, the newest first. */
  gates(pipeline: string): Iterable<GatesEntry>;
  /** Subjects of a pipeline, as entries have them, of which a run was at work at a time (ISO 8601, UTC) or later. */
  subjectsSince(pipeline: string, time: string): Promise<ReadonlySet<string>>;
}

/** The version that gates begin with. */
export interface StartVersion extends Snapshot {
  /** In a CI job: the version that its checkout has before files are laid into it. Default: that of `tree`. */
  readonly checkedOut?: TreeId;
}

/** The lists of what was written into the user's folder, for every definition of the workspace. */
export interface PutLists {
  /** Absolute path of the folder that they are in: the folders `saved` of `apply` and `rollback` are below it. */
  readonly folder: string;
  /** The definition of these ports, as {@link PutReason.file}. */
  readonly file: string | undefined;
  /**
   * The records of the pipeline and subject that a list is about, wherever they are. Moves nothing.
   * @throws GatelineError `STORE_READ_FAILED`
   */
  recordsOf(put: PutReason): Promise<RecordListing>;
}

/** Decisions of people that do not come from records: any job of a CI run can write those. */
export interface DecisionSource {
  /**
   * Decisions that the run was started with, as records of this subject.
   * @throws GatelineError if it cannot be determined who started it
   */
  given(graph: UnitGraph, listing: RecordListing, subject: string): Promise<readonly DecidedRecord[]>;
  /**
   * Decisions about a unit that were made on the commit of a workflow run. Never throws.
   * @param run id of the workflow run that recorded an output; default: this one
   */
  find(unit: Unit, about: Pick<GatelineRecord, 'pipeline' | 'subject'>, run?: string): Promise<FoundDecisions>;
}

/** The result of {@link DecisionSource.find}. */
export interface FoundDecisions {
  readonly decided: readonly DecidedRecord[];
  /** Why there may be more: the unit must not pass then. */
  readonly unread?: string;
}

/** Which run's snapshots. */
export interface RunNamed {
  readonly pipeline: string;
  readonly subject: string;
  readonly runNumber: number;
}

/** Snapshots of the database that gates change, taken and restored by the pipeline's own commands. */
export interface DatabaseSnapshots {
  /**
   * Keeps the database as it is now.
   * @param how.screen what is kept passes through it; its errors are rethrown, and then nothing is kept
   * @throws GatelineError `DATABASE_FAILED`
   */
  take(
    run: RunNamed,
    how: {
      readonly screen: (chunks: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;
      readonly redact: (text: string) => string;
    },
  ): Promise<Content>;
  /**
   * Restores a snapshot, and first keeps the database as it is, next to the snapshots of the run.
   * @param how.call number of the call, so that a repeated one finds what an interrupted one kept
   * @param how.begun called before the database may change
   * @throws GatelineError `DATABASE_FAILED` naming the files with both states; `SNAPSHOT_GONE`
   */
  restore(
    run: RunNamed,
    content: Content,
    how: { readonly call: number; readonly redact: (text: string) => string; readonly begun: () => void },
  ): Promise<void>;
  /** Whether a snapshot is still kept, unaltered: it is read to its end. */
  has(run: RunNamed, content: Content): Promise<boolean>;
  /** Removes one snapshot of a run, or all of them. */
  drop(run: RunNamed, digest?: Digest): Promise<void>;
}

/**
 * Checkpoints that are not among the listed records: stored by fingerprint, from any run. An accelerator, never the
 * only copy.
 */
export interface CheckpointSource {
  /**
   * Earlier attempts of this unit with this fingerprint, of any subject. Afterwards the store can read their contents,
   * verified. Never throws: problems are returned as notices, and nothing is found.
   */
  find(
    unit: Pick<GatelineRecord, 'pipeline' | 'subject' | 'gate' | 'leg'>,
    fingerprint: Digest,
  ): Promise<FoundCheckpoints>;
  /**
   * Attempts of this unit in the run that this one continues, of any subject, by the digest of their output. A person
   * named it. Otherwise as {@link find}.
   */
  findOutput?(
    unit: Pick<GatelineRecord, 'pipeline' | 'subject' | 'gate' | 'leg'>,
    output: Digest,
  ): Promise<FoundCheckpoints>;
}

/** The result of {@link CheckpointSource.find}. */
export interface FoundCheckpoints {
  /**
   * One listing for each subject, the best first: attempts (claims and ends), and as far as they are known the
   * decisions about the unit. Records of one subject are read together, never with those of another.
   */
  readonly listings: readonly RecordListing[];
  /** For people: one sentence each, no markup. */
  readonly notices: readonly string[];
}

/**
 * Events that the engine reports while it works. Observers must not throw; a promise is awaited before the engine
 * continues.
 */
export type EngineEvent =
  | { readonly type: 'planned'; readonly planned: PlannedUnit }
  | {
      readonly type: 'started';
      readonly unit: UnitKey;
      readonly record: StartedRecord;
      /** Which attempt in a row this is, from 1, and how many there may be: the first and its retries. */
      readonly attempt: number;
      readonly attempts: number;
      readonly state: RunState;
      /** The token that `begin` will return. */
      readonly token?: string;
    }
  | {
      readonly type: 'line';
      readonly unit: UnitKey;
      readonly stream: 'stdout' | 'stderr';
      readonly line: string;
      /** It is a piece of a long line of a command, and the next one is of the same line. */
      readonly goesOn?: boolean;
    }
  | {
      readonly type: 'ended';
      readonly unit: UnitKey;
      readonly record: EndedRecord;
      readonly state: RunState;
      /** All records that the call knows, of this run and of others. */
      readonly records: readonly GatelineRecord[];
      readonly retrying: boolean;
    }
  | { readonly type: 'state'; readonly state: RunState }
  | {
      readonly type: 'notice';
      readonly message: string;
      readonly unit?: UnitKey;
      /** Set if the unit, which is done, will run again. */
      readonly rerun?: true;
      /** Set if it is nothing but a line of the log. */
      readonly isRoutine?: true;
      /** Set if it sums up issues of the verdict that follows. */
      readonly isInVerdict?: true;
    };

/** Receives the engine's events. */
export type Observer = (event: EngineEvent) => void | Promise<void>;
