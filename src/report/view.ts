import type { Place } from '../errors.ts';
import type { HistoryEntry } from '../history/history-entry.ts';
import type { JsonObject, JsonValue } from '../json/json.ts';
import type { OnFail, UnitKey } from '../pipeline/pipeline.ts';
import type { AttemptRef, Content, EndedEntry, Metrics } from '../run/entry.ts';
import type { Figures } from '../run/figures.ts';
import type { FileChange } from '../run/files.ts';
import type { RunStatus, UnitStatus } from '../run/status.ts';
import type { Verdict } from '../verdict/verdict.ts';

export type { Figures, RunStatus, UnitStatus };

/**
 * Everything that is shown about a run: plain data, computed once, rendered many ways. `--json` prints it. Texts are
 * untrusted: redacted, but not escaped for any target.
 */
export interface RunView {
  readonly format: 'gateline-run/3';
  readonly pipeline: string;
  readonly subject: string;
  /** What commands about this run end with: ` -s SUBJECT -f FILE`, as the caller named them. Absent: nothing. */
  readonly target?: string;
  /** 0: there is no run yet. */
  readonly run: number;
  readonly status: RunStatus;
  readonly task?: string;
  readonly metadata: JsonObject;
  readonly started?: string;
  readonly ended?: string;
  /** The pause or rollback that holds the run. */
  readonly paused?: DecisionView;
  /** Path of the clone that an isolated run works in. */
  readonly clone?: string;
  readonly figures: Figures;
  /** In the order of gateline.yml, legs in theirs. */
  readonly units: readonly UnitView[];
  readonly groups: readonly GroupView[];
  readonly decisions: readonly DecisionView[];
  /** The most important thing to do now. */
  readonly next: NextStep;
  /** The last runs of the pipeline, the newest first, without this one. */
  readonly history: readonly HistoryEntry[];
}

export type How = EndedEntry['how'];

export interface UnitView {
  readonly key: UnitKey;
  readonly gate: string;
  readonly leg: string;
  readonly number: number;
  readonly agent: string;
  /** Where the gate begins in gateline.yml. */
  readonly place: Place;
  readonly needs: readonly UnitKey[];
  /** Names of the documents that its agent is given. */
  readonly memory: readonly string[];
  readonly status: UnitStatus;
  readonly how?: How;
  /** Later gates may use it: passed, approved, not applicable, skipped, or partial where that is allowed. */
  readonly done: boolean;
  /** Why it has this status: one sentence without a full stop. */
  readonly reason: string;
  readonly iteration: number;
  /** Where a failed output sends the work back to, and how often that gate may work. */
  readonly loop?: OnFail;
  /** The score that passes; absent: its output has no score. */
  readonly threshold?: number;
  /** Of the newest attempt that ended. */
  readonly verdict?: Verdict;
  readonly output?: Content;
  /** Fingerprint and digest that `approve` and `reject` are about. */
  readonly fingerprint?: string;
  readonly learnings?: Content;
  readonly attempts: readonly AttemptView[];
  /** The files of the unit, and what its newest attempt changed. */
  readonly files: readonly string[];
  readonly changes: readonly FileChange[];
  readonly undeclared: readonly string[];
  readonly source?: AttemptRef;
  readonly next?: NextStep;
}

/** One try in this run. */
export interface AttemptView {
  readonly n: number;
  readonly how: How | 'running';
  readonly started?: string;
  readonly ended?: string;
  readonly ms?: number;
  readonly verdict?: Verdict;
  readonly metrics?: Metrics;
  readonly exitCode?: number;
  readonly actor?: string;
  readonly reason?: string;
}

export interface GroupView {
  readonly id: string;
  readonly mode: 'parallel' | 'sequential';
  readonly units: readonly UnitKey[];
  readonly status: UnitStatus;
}

export interface DecisionView {
  readonly decision: string;
  readonly actor: string;
  readonly reason: string;
  readonly at: string;
  readonly unit?: UnitKey;
}

/** What to do, and the command that does it. */
export interface NextStep {
  readonly text: string;
  readonly command?: string;
}

/** A part of a run that is read on demand. */
export type Part =
  | 'output'
  | 'exports'
  | 'request'
  | 'contract'
  | 'verdict'
  | 'stdout'
  | 'stderr'
  | 'learnings'
  | 'feedback';
export type PartValue = { readonly json: JsonValue } | { readonly text: string };
