import type { JsonObject, JsonValue } from '../../json/json.ts';
import type { Pipeline, UnitKey } from '../../pipeline/pipeline.ts';
import type { StandInProducer } from '../../run/plan/request.ts';
import type { GatelineRecord } from '../../run/records/record.ts';
import type { Unit } from '../../run/records/unit.ts';
import type { RunState } from '../../run/state/run-state.ts';
import type { Issue } from '../../verdict/verdict.ts';

/**
 * The files of other systems next to an agent. Those of the state guide, `{subject}-gate{N}-output.json` and
 * `{subject}-pipeline.json`, are also read; the others only show the run.
 */
export interface StateFiles {
  /**
   * Before the agent starts: writes those of the pipeline and of the gates upstream, and moves files in the places of
   * the others and of the unit's own aside.
   * @throws GatelineError `STATE_ESCAPES`, `STORE_WRITE_FAILED`, `EXPORT_REFUSED`
   */
  prepare(folder: string, about: AboutStateFiles, kept: KeptFiles): Promise<PreparedStateFiles>;
  /** What the agent left in the place of the unit's own; `undefined`: nothing. Never throws for what it contains. */
  read(folder: string, about: AboutStateFiles): Promise<LeftStateFile | undefined>;
  /** Removes the unit's own: the agent's texts in it are not redacted. */
  remove(folder: string, about: AboutStateFiles): Promise<void>;
}

/** What is known after state files were laid out: one sentence each. */
export interface PreparedStateFiles {
  /** What people should know. */
  readonly notices: readonly string[];
  /** The files of the unit's needs, with status and score. */
  readonly loaded: readonly string[];
}

/** Which state files: those next to the agent of a unit. */
export interface AboutStateFiles {
  readonly unit: Unit;
  readonly state: RunState;
  /** Of the run, as far as they are known. */
  readonly records: readonly GatelineRecord[];
  /** The summary of earlier work that the agent is given, if it asked for one. */
  readonly handoff?: string;
  readonly pipeline: Pipeline;
  readonly metadata: JsonObject;
  readonly isDefaultSubject: boolean;
  /** The agent works in the user's own folder, where the files of the run are anyway. */
  readonly isUsersFolder: boolean;
  readonly redact: (text: string) => string;
}

/** State files of other tools that an agent is to find. */
export interface KeptFiles {
  /** Whose file it is. */
  readonly units: ReadonlySet<UnitKey>;
  /** Such a file without secrets, and without what the contract of its unit keeps out. */
  readonly redact: (unit: Unit, file: JsonObject) => Promise<JsonObject>;
}

/** A state file that an agent wrote: what it says, or why it cannot be used. */
export interface LeftStateFile {
  /** Relative to the folder. */
  readonly file: string;
  /**
   * `hasFailed`: its status is `FAILED`. `issues`: the agent's own, then its status and score; they decide nothing.
   * `read`: remarks about the text of the output, with pointers into the output.
   */
  readonly content:
    | { readonly refused: readonly Issue[]; readonly kind: 'malformed' | 'schema' }
    | {
        readonly refused?: undefined;
        readonly output: JsonValue;
        readonly hasFailed: boolean;
        readonly issues: readonly Issue[];
        readonly read: readonly Issue[];
      };
}

/** Where outputs come from for needs that have none (seed 000, step 0B), besides the caller's input. */
export interface StandIns {
  /** That of a need; `undefined`: there is none that may be used. @throws GatelineError `STATE_FILE_INVALID` */
  readonly file?: (need: Unit) => Promise<StandInFile | undefined>;
}

/** A state file that another tool wrote. */
export interface StandInFile {
  /** Relative to the workspace. */
  readonly path: string;
  readonly output: JsonValue;
  readonly producer: StandInProducer;
}
