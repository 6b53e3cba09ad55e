import type { Agent } from '../agent/agent.ts';
import type { AttemptFiles } from '../agent/attempt-files.ts';
import type { Environment } from '../environment.ts';
import type { Platform } from '../run/plan/request.ts';
import type { Digest } from '../json/digest.ts';
import type { EndedRecord, GatelineRecord, StartedRecord, Writer } from '../run/records/record.ts';
import type { PlannedUnit } from '../run/plan/plan.ts';
import type { RunState } from '../run/state/run-state.ts';
import type { RecordStore } from '../store/record-store.ts';
import type { UnitKey } from '../pipeline/pipeline.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** Everything that the engine needs of the world. The ways in construct it. */
export interface EnginePorts {
  readonly store: RecordStore;
  readonly workspace: Workspace;
  readonly agent: Agent;
  readonly attempts: AttemptFiles;
  readonly now: () => Date;
  /** Who writes the records of this call. */
  readonly me: Writer;
  /** True only when it is certain that this writer's process is no more. */
  readonly isGone: (writer: Writer) => Promise<boolean>;
  /** The caller's environment: agents inherit it, secrets and inherited variables are read from it. */
  readonly environment: Environment;
  readonly platform: Platform;
  /** What a tool's version command prints, trimmed. @throws GatelineError `TOOL_MISSING` */
  readonly toolVersion: (command: string) => Promise<string>;
  /** Where contracts are read from, where that is not the workspace: the commit that a CI run trusts. */
  readonly contractFiles?: Pick<Workspace, 'readText'>;
  /** Writes the files that agents of the state guide read into a folder: the pipeline's, and those of the given units. */
  readonly showState?: (
    folder: string,
    state: RunState,
    units: readonly UnitKey[],
    redact: (text: string) => string,
  ) => Promise<void>;
  /** Values that no gate names and that are redacted all the same, by name: what opens the services of a CI job. */
  readonly alsoSecret?: Readonly<Record<string, string>>;
  /** Asked when no listed record will do. */
  readonly checkpoints?: CheckpointSource;
}

/** Checkpoints that are not among the listed records: kept by fingerprint, of whichever run. An accelerator, never the only copy. */
export interface CheckpointSource {
  /**
   * Records of earlier attempts of this unit with this fingerprint (a claim and its end), oldest first. From then on the
   * store answers for their contents, verified. Never throws: what went wrong is a notice, and nothing was found.
   */
  find(
    unit: Pick<GatelineRecord, 'pipeline' | 'subject' | 'gate' | 'leg'>,
    fingerprint: Digest,
  ): Promise<FoundCheckpoints>;
}

/** What {@link CheckpointSource.find} came to. */
export interface FoundCheckpoints {
  readonly records: readonly GatelineRecord[];
  /** For people: one sentence each, no markup. */
  readonly notices: readonly string[];
}

/** What the engine tells while it works. Observers must not throw; a promise is awaited before going on. */
export type EngineEvent =
  | { readonly type: 'planned'; readonly planned: PlannedUnit }
  | {
      readonly type: 'started';
      readonly unit: UnitKey;
      readonly record: StartedRecord;
      readonly attempts: number;
      readonly state: RunState;
      /** What `begin` is going to give for it. */
      readonly token?: string;
    }
  | { readonly type: 'line'; readonly unit: UnitKey; readonly stream: 'stdout' | 'stderr'; readonly line: string }
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
  | { readonly type: 'notice'; readonly message: string; readonly unit?: UnitKey };

/** Who is told. */
export type Observer = (event: EngineEvent) => void | Promise<void>;
