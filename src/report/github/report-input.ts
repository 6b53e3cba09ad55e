import type { Pipeline, UnitKey } from '../../pipeline/pipeline.ts';
import type { JsonValue } from '../../json/json.ts';
import type { ReadProblem } from '../../run/records/reading.ts';
import type { GatelineRecord } from '../../run/records/record.ts';
import type { RunState } from '../../run/state/run-state.ts';
import type { PastRun } from '../../history/merge.ts';
import type { NeededJob } from './needed-jobs.ts';

/** Which time the work is done, in a run that was started to do it again. */
export interface RunIteration {
  /** The gate that does its work again. */
  readonly gate: string;
  /** Which time this is. */
  readonly number: number;
  /** How often the gate may run, if one loop alone says so. */
  readonly of?: number;
}

/** GitHub's facts about the run. */
export interface RunFacts {
  /** Decimal digits. */
  readonly runId: string;
  /** The tested commit; '' if there is none. */
  readonly sha: string;
  /** The branch, or another ref of the run: `refs/pull/7/merge`. */
  readonly branch: string;
  /** `push`, `pull_request`, … */
  readonly event: string;
  /** Who started it, how far its code is trusted, and the workflow file; for the history. */
  readonly actor?: string;
  readonly trust?: string;
  readonly workflowFile?: string;
  /** Of a run that was started to do work again. */
  readonly iteration?: RunIteration;
}

/** Addresses that a report links to. All are optional; only https addresses are linked. */
export interface ReportLinks {
  /** The page of this workflow run: `https://github.com/<owner>/<repo>/actions/runs/<id>`. */
  readonly run?: string;
  /** Base address of runs, for those of the history: `https://github.com/<owner>/<repo>/actions/runs`. */
  readonly runs?: string;
  /** Base address of files of the tested commit: `https://github.com/<owner>/<repo>/blob/<sha>`. */
  readonly files?: string;
  /** Pages of the artifacts of each unit. */
  readonly artifacts?: ReadonlyMap<UnitKey, readonly ArtifactLink[]>;
  /** Where people decide about outputs of this run. */
  readonly decide?: DecisionTarget;
}

/** The workflow to start for a decision about a run. */
export interface DecisionTarget {
  /** `owner/name`. */
  readonly repository: string;
  /** Name of the workflow file. */
  readonly workflow: string;
  /** Branch or tag to start it on. */
  readonly ref: string;
  /** Id of the run that the decision is about. */
  readonly run: string;
  /** The commit that the run is about: of a pull request, its head. */
  readonly commit: string;
}

/** An artifact that people may open. */
export interface ArtifactLink {
  /** Its content: `output`, `files`. May be untrusted text. */
  readonly name: string;
  readonly url: string;
  readonly bytes?: number;
}

/** The result of sending work back. */
export interface SentBackText {
  /** One paragraph of safe Markdown. */
  readonly said: string;
  /** What a person has to do, as safe Markdown. */
  readonly steps?: string;
  /** Another run continues it. */
  readonly isStarted: boolean;
}

/** The input for a report of a whole run. */
export interface RunReportInput {
  readonly pipeline: Pick<Pipeline, 'id' | 'gates' | 'groups'>;
  readonly state: RunState;
  /** All records, of this run and of others: they provide attempts and reused outputs. */
  readonly records: readonly GatelineRecord[];
  /** ISO 8601, UTC. */
  readonly now: string;
  readonly facts?: RunFacts;
  /** Other runs of this pipeline, in any order; see `mergeRuns`. */
  readonly history?: readonly PastRun[];
  readonly links?: ReportLinks;
  /** What was sent back to another run, or why nothing was: safe Markdown. */
  readonly sentBack?: SentBackText;
  /** What a reader should know before anything else: safe Markdown. */
  readonly note?: string;
  /** The jobs that the reporting job needs. */
  readonly jobs?: readonly NeededJob[];
  /** Problems with reading records. */
  readonly problems?: readonly ReadProblem[];
  /** Outputs, as far as they were read: they name the files and lines of issues. */
  readonly values?: ReadonlyMap<UnitKey, JsonValue>;
  /** The absolute path of the repository's folder, for agents that use absolute paths. */
  readonly workspace?: string;
}
