import type { JsonObject, JsonValue } from '../json/json.ts';

/**
 * What the file says about the job of a gate in the workflow that `gateline compile` writes, in GitHub's spelling. No
 * part of any request.
 */
export interface JobSettings {
  readonly runsOn?: JsonValue;
  readonly stepsBefore?: readonly JsonObject[];
  readonly permissions?: Readonly<Record<string, string>>;
  readonly environment?: JsonValue;
  readonly container?: JsonValue;
  readonly services?: JsonObject;
  /** `strategy.matrix` as written. */
  readonly matrix?: JsonObject;
}

/** What the report in the workflow of `gateline compile` does besides reporting. */
export interface ReportSettings {
  /** Which commit statuses it writes. `undefined`: `auto`. */
  readonly statuses?: 'auto' | 'gates' | 'never';
  /** It uploads the run as one page. */
  readonly htmlReport?: boolean;
  /** Name of the branch that it appends the outcome to. */
  readonly historyBranch?: string;
}

/** The delivery of a pipeline: `deliver` at the top of the file. */
export interface Delivery {
  readonly gates: readonly string[];
  readonly as: 'pull-request' | 'commit' | 'patch';
  /** Exact paths that are delivered although something would run them by itself. */
  readonly allow: readonly string[];
  /** What agents learned is delivered, too. */
  readonly learnings: boolean;
}

/** An agent that is another action: a step between `begin` and `complete`. */
export interface UsedAction {
  /** `owner/name@ref`. */
  readonly action: string;
  readonly with: JsonObject;
  /** Expression for the output, without `${{ }}`. `undefined`: the agent writes the output file. */
  readonly output: string | undefined;
  /** Expression for its metrics, without `${{ }}`: JSON, or the path of a file. Not part of the request. */
  readonly metrics: string | undefined;
}

/** File formats of other systems that are kept up to date during a run. */
export const MIRROR_FORMATS = ['state-guide', 'agent-flow', 'dev-loop', 'nexus'] as const;
export type MirrorFormat = (typeof MIRROR_FORMATS)[number];
