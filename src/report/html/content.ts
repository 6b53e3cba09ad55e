import type { HistoryEntry } from '../../history/entry.ts';
import type { Digest } from '../../json/digest.ts';
import type { Pipeline, UnitKey } from '../../pipeline/pipeline.ts';
import type { EndedRecord, GatelineRecord, StartedRecord } from '../../run/records/record.ts';
import type { RunState } from '../../run/state/run-state.ts';

/** One stored content of an attempt, as the page shows it. */
export interface Part {
  /** Such as `output`; a fixed word. */
  readonly name: string;
  /** Bytes of the whole content; `undefined`: it was not read. */
  readonly bytes: number | undefined;
  readonly digest: Digest;
  /** The part that is shown; `undefined`: nothing, because it cannot be read or the page is full. */
  readonly text: string | undefined;
  /** Why it is not shown, or not all of it; `undefined`: all is shown. */
  readonly left: string | undefined;
  /** Prints all of it. */
  readonly command: string;
}

/** One attempt of a gate with its contents. */
export interface AttemptContent {
  readonly number: number;
  readonly claim: StartedRecord | undefined;
  readonly ended: EndedRecord | undefined;
  readonly parts: readonly Part[];
  /** How it differs from the attempt before, a line each; `undefined`: it is the first. */
  readonly differences: readonly string[] | undefined;
}

/** All that the page shows: a value, so that drawing it reads nothing. */
export interface ReportContent {
  readonly pipeline: Pick<Pipeline, 'id' | 'gates' | 'groups'>;
  readonly state: RunState;
  readonly records: readonly GatelineRecord[];
  /** Attempts of each gate and leg that are shown, in order. */
  readonly attempts: ReadonlyMap<UnitKey, readonly AttemptContent[]>;
  /** Runs of the pipeline, the newest first. */
  readonly history: readonly HistoryEntry[];
  /** ISO 8601, UTC. */
  readonly now: string;
  /** Seconds after which a browser loads the page again; `undefined`: never. */
  readonly refresh: number | undefined;
  /** Removes secrets from a text. */
  readonly redact: (text: string) => string;
}
