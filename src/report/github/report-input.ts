import type { Pipeline, UnitKey } from '../../pipeline/pipeline.ts';
import type { JsonValue } from '../../json/json.ts';
import type { ReadProblem } from '../../run/records/reading.ts';
import type { GatelineRecord } from '../../run/records/record.ts';
import type { RunState } from '../../run/state/run-state.ts';
import type { HistoryEntry, RunFacts } from './history-entry.ts';
import type { NeededJob } from './needed-jobs.ts';

/** Addresses that a report links to. Each may be left out; only https ones are linked. */
export interface ReportLinks {
  /** The page of this workflow run: `https://github.com/<owner>/<repo>/actions/runs/<id>`. */
  readonly run?: string;
  /** Where runs are, for those of the history: `https://github.com/<owner>/<repo>/actions/runs`. */
  readonly runs?: string;
  /** Where files of the tested commit are: `https://github.com/<owner>/<repo>/blob/<sha>`. */
  readonly files?: string;
  /** Pages of the artifacts of each unit. */
  readonly artifacts?: ReadonlyMap<UnitKey, readonly ArtifactLink[]>;
}

/** An artifact that people may open. */
export interface ArtifactLink {
  /** What it is: `output`, `files`. Untrusted text is fine. */
  readonly name: string;
  readonly url: string;
  readonly bytes?: number;
}

/** What a report of a whole run is made from. */
export interface RunReportInput {
  readonly pipeline: Pick<Pipeline, 'id' | 'gates' | 'groups'>;
  readonly state: RunState;
  /** Every record there is, of this run and of others: attempts and what was reused come from them. */
  readonly records: readonly GatelineRecord[];
  /** ISO 8601, UTC. */
  readonly now: string;
  readonly facts?: RunFacts;
  /** Of other runs of this pipeline and subject, in any order; see `mergeHistory`. */
  readonly history?: readonly HistoryEntry[];
  readonly links?: ReportLinks;
  /** The jobs that the reporting job needs. */
  readonly jobs?: readonly NeededJob[];
  /** What could not be read. */
  readonly problems?: readonly ReadProblem[];
  /** Outputs, as far as they were read: they tell the files and lines of issues. */
  readonly values?: ReadonlyMap<UnitKey, JsonValue>;
  /** The folder of the repository, absolute, for agents that name files so. */
  readonly workspace?: string;
}
