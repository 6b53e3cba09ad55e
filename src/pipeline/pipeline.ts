import type { JsonObject, JsonValue } from '../json/json.ts';
import type { Place } from '../errors/gateline-error.ts';
import type { Budget, BudgetAmount } from './budget.ts';
import type { EntityUse, Resources } from './entities/entities.ts';
import type { Delivery, JobSettings, MirrorFormat, ReportSettings, UsedAction } from './job-settings.ts';
import type { Problem } from './problem.ts';
import type { RetentionSettings } from './retention-settings.ts';

/** Id of a pipeline or a gate. */
export const ID_PATTERN = /^[a-z_][a-z0-9_-]{0,39}$/;

/** The longest task, in characters. */
export const MAX_TASK_LENGTH = 4_096;

/**
 * A checked pipeline: the content of `gateline.yml`, with every default filled in and every reference resolved. Made by
 * `parsePipeline`; only tests construct one by hand.
 */
export interface Pipeline {
  readonly id: string;
  /**
   * What one execution is about, from the file; the caller may override it. `undefined`: use the default
   * (`{metadata.domain}-{metadata.feature}`, else `pr-<n>`, else the branch), which no agent and no condition sees.
   */
  readonly subject: string | undefined;
  /** If the file names no subject: each use of `subject` in a condition, as a problem unless the caller gives one. */
  readonly subjectReads?: readonly Problem[];
  /** The goal of the run, for every agent; the caller may override it. Part of the fingerprint. */
  readonly task?: string;
  /** Time zone in which days begin, for statistics. Default: UTC. No part of any request. */
  readonly timezone?: string;
  /**
   * Free values that agents see (seed 000: domain, feature, url, userStory, acceptanceCriteria). Part of the
   * fingerprint.
   */
  readonly metadata: JsonObject;
  /** How many gates may run in parallel. Default 2. */
  readonly maxParallel: number;
  /** Gates in file order; needs always name gates of this list. */
  readonly gates: readonly Gate[];
  /** Named sets of gates that are shown together (seed 002: parallel_groups), in file order. */
  readonly groups: readonly GateGroup[];
  /** How often work may be sent back in one run, in all loops together. `undefined`: no common limit. */
  readonly maxReworks: number | undefined;
  /** Whether `gateline run` adds what agents noted to a document, or only says that there is something. */
  readonly learning: 'propose' | 'auto';
  /** Formats whose files jobs find in their folder. Default: none. No part of any request. */
  readonly mirror?: readonly MirrorFormat[];
  /** What agents may spend. `undefined`: no limit but those of gates. */
  readonly budget?: Budget;
  /** Named resources, and the commands that `gateline do` runs. `undefined`: none. */
  readonly resources?: Resources;
  /** How work trees are made. No part of any request. */
  readonly workspace: WorkspaceSettings;
  /** Which snapshots are kept. No part of any request. */
  readonly snapshots: SnapshotSettings;
  /** Which old runs are removed after a run. `undefined`: none. No part of any request. */
  readonly retention?: RetentionSettings;
  /** Triggers of the workflow that `gateline compile` writes, as in a workflow. `undefined`: the default ones. */
  readonly on?: JsonValue;
  /** Variables of its jobs. */
  readonly workflowEnv?: JsonObject;
  readonly report?: ReportSettings;
  /** All its gates read the commands that people give in comments of pull requests. */
  readonly commands?: boolean;
  /** How the files of gates are handed over when all gates have passed. */
  readonly deliver?: Delivery;
}

/** Which snapshots are kept beyond what gates hand on: `snapshots` at the top of the file. */
export interface SnapshotSettings {
  /** Those of every n-th gate of the file. Default 1: of every gate. */
  readonly every: number;
  /** Those of this many runs that are over, besides open and pinned ones. `undefined`: of all. */
  readonly keep: number | undefined;
  /** Maximum bytes of one snapshot. `undefined`: no limit. */
  readonly maxSize: number | undefined;
  readonly database: DatabaseSettings | undefined;
}

/** Defaults for settings that the file omits: snapshots of all gates, without a database. */
export const DEFAULT_SNAPSHOTS: SnapshotSettings = {
  every: 1,
  keep: undefined,
  maxSize: undefined,
  database: undefined,
};

/** How the database that gates change is kept and restored. */
export interface DatabaseSettings {
  /** Commands; the path of the file to write or read is in a variable. */
  readonly snapshot: string;
  readonly restore: string;
  readonly timeoutMinutes: number;
}

/** How the work trees of attempts are made: `workspace` at the top of the file. */
export interface WorkspaceSettings {
  /**
   * Paths that git ignores and work trees still need: folders of installed packages (default), nothing, or what these
   * globs name.
   */
  readonly link: 'dependencies' | 'none' | readonly string[];
  /** Command to run once in each folder for work trees. */
  readonly setup?: string | undefined;
  /** Shell of `setup`: `defaults.run.shell`, else `bash`. */
  readonly shell: string;
  /** Maximum bytes of one untracked file; ten times as many for all of them together. Default 100 MB. */
  readonly maxUntracked: number;
  /**
   * Folder for work trees as written: absolute, relative to the workspace, or below `~`. Default: the system's cache
   * folder.
   */
  readonly trees?: string | undefined;
}

/** Defaults for settings that the file omits. */
export const DEFAULT_WORKSPACE: WorkspaceSettings = { link: 'dependencies', shell: 'bash', maxUntracked: 100_000_000 };

/** A named set of gates shown as one phase. With `onFail` its gates are judged together, when all have ended. */
export interface GateGroup {
  readonly id: string;
  readonly gates: readonly string[];
  /** `sequential`: its gates run one at a time. `auto`: they do if `available` fails (seed 002: team or sequential). */
  readonly mode: 'parallel' | 'sequential' | 'auto';
  /** A command that succeeds where the gates may run in parallel. `undefined`: they may. */
  readonly available?: string;
  readonly onFail: OnFail | undefined;
}

/** Who may approve an output. */
export interface Approval {
  /** Names of people; empty: anybody. */
  readonly by: readonly string[];
  /** Not the author of the change that the run is about. */
  readonly notAuthor: boolean;
  /** An approval is for one commit: another one needs another approval, even for the same output. */
  readonly perCommit: boolean;
  /** What the run is about. Without it, nobody may approve where `notAuthor` or `perCommit` ask for it. */
  readonly about?: UnderReview;
}

/** The change that a run is about. */
export interface UnderReview {
  /** Id of the commit; `undefined`: unknown. */
  readonly commit: string | undefined;
  /** Names of its author; empty: unknown. */
  readonly authors: readonly string[];
}

/** Where work goes back to if it is judged to be not good enough (seed 002: iterations; seed 003: fix tasks). */
export interface OnFail {
  /** The gate that does it again; upstream of all gates that send work back. */
  readonly goto: string;
  /** How often that gate may run in this loop, the first time included: 1 never sends back. Default 3. */
  readonly maxIterations: number;
}

/** One node of the pipeline: an agent and the contract that its output must meet. */
export interface Gate {
  readonly id: string;
  /** The N of `gate{N}-output.json`: `number:`, else the position in the file from 0. Unique. */
  readonly number: number;
  /** Display name of the agent. Default: the gate's id. */
  readonly agent: string;
  /** The command, as in a `run:` step. `undefined`: an agent that runs by itself, between `begin` and `complete`. */
  readonly run: string | undefined;
  /**
   * The agent is another action: `gateline compile` puts `begin` and `complete` around it. Never together with `run`.
   */
  readonly uses?: UsedAction;
  /** The command that takes the place of `uses` on a machine of one's own. */
  readonly local?: string;
  readonly job?: JobSettings;
  /** `bash` (default), `sh`, `pwsh`, `python`, `node`, or a template with `{0}` for the script's file, as on GitHub. */
  readonly shell: string;
  /** Relative to the workspace, `/`-separated, inside it. Default `.`. */
  readonly workingDirectory: string;
  /** Where the agent works: in a private work tree (default), or in the user's folder. Not part of the request. */
  readonly workspace: 'tree' | 'in-place';
  /** Ids of the gates that must be satisfied first, in file order. */
  readonly needs: readonly string[];
  /** Condition in GitHub's expression language without `${{ }}`. False: the gate is not-applicable. */
  readonly if: string | undefined;
  /** Globs of the input files. `undefined`: the whole tracked tree; empty: no files. */
  readonly inputs: readonly string[] | undefined;
  /** Names of the documents in `.gateline/memory/` that are inputs, too. The gate sees no others. */
  readonly memory: readonly string[];
  /** Further documents, for calls that ask for them. */
  readonly memoryIfAsked?: readonly string[];
  /**
   * Variables that the agent receives and that are part of the fingerprint. `null`: taken from the caller's
   * environment, by value. Pipeline-wide `env` is merged in.
   */
  readonly env: Readonly<Record<string, string | null>>;
  /** Free values for the agent (`prompt`, `model`, …), in its request. */
  readonly with: JsonObject;
  /** Tools whose version is part of the fingerprint: name → command that prints it (`node` → `node --version`). */
  readonly tools: Readonly<Record<string, string>>;
  /**
   * Environment variables that contain secrets: passed to the agent and redacted everywhere. Only their names are part
   * of the fingerprint.
   */
  readonly secrets: readonly string[];
  readonly contract: ContractSource;
  /** JSON pointers to the parts of the output that later gates see. Default `['']`, all of it. */
  readonly exports: readonly string[];
  /** Globs of the files handed on, `changed` (files that git reports as changed since the gate began), or none. */
  readonly files: 'changed' | readonly string[];
  /** Further attempts after a failed one, in one call. Default 0, at most 10. */
  readonly retries: number;
  /** Default 60, at most 4320 (three days); fractions allowed. */
  readonly timeoutMinutes: number;
  /** What its attempts may spend in one run; each leg alone. No part of the request. */
  readonly budget?: BudgetAmount;
  readonly onFail: OnFail | undefined;
  /** A person must approve the output before later gates may use it. */
  readonly approval: Approval | undefined;
  readonly reuse: 'auto' | 'never';
  /** Milliseconds after which an output is too old for reuse. */
  readonly maxAge: number | undefined;
  /** The legs of a matrix gate, in order; exactly one leg with id '' when there is no matrix. */
  readonly legs: readonly Leg[];
  /** The list that the legs come from. Until it is known, `legs` is the one with id ''. */
  readonly legsFrom?: LegSource;
  /** `strategy.max-parallel`: how many legs may run in parallel. */
  readonly legsMaxParallel: number | undefined;
  /** Where its contract is defined, for errors. `undefined`: not in a file. */
  readonly place?: Place;
  /** `strategy.fail-fast` (default true): a failed leg stops legs that have not started. */
  readonly failFast: boolean;
  /** The entities that it uses. `undefined`: none. */
  readonly entities?: EntityUse;
}

/** Whether the output of a gate may wait for a person's decision. */
export function mayWait({ approval, contract }: Pick<Gate, 'approval' | 'contract'>): boolean {
  return approval !== undefined || contract.partial === 'pause';
}

/** What judging the output of a gate requires. */
export type GateContract = Pick<Gate, 'id' | 'contract' | 'exports' | 'place'>;

/** A part of the output of a gate: a list with one item for each leg of another gate. */
export interface LegSource {
  /** One of the needs of the gate that has the legs. */
  readonly gate: string;
  /** The keys below its output. */
  readonly path: readonly string[];
}

/** One of the parallel copies of a matrix gate. */
export interface Leg {
  /** '' without a matrix, else a slug of the matrix values (`chrome-linux`), unique in the gate. */
  readonly id: string;
  readonly matrix: JsonObject;
}

/** What the output must meet, as written in the file; the schema file is read by the workspace. */
export interface ContractSource {
  /** A path relative to the workspace, or the schema itself, or none. */
  readonly schema: { readonly path: string } | { readonly inline: JsonValue } | undefined;
  /** JSON pointer to the score. `undefined`: 100 if the output meets all other requirements. */
  readonly score: string | undefined;
  /** 0-100, default 0 without `score`, 80 with it. */
  readonly threshold: number;
  /** Effect of a score below the threshold: `block` (default), `continue`, or `pause` until a user approves. */
  readonly partial: 'block' | 'continue' | 'pause';
  /** Conditions in GitHub's expression language over `output`, `score`, `subject`, `metadata`. */
  readonly checks: readonly string[];
  /** JSON pointer to the agent's own label for its result, and the labels that pass. */
  readonly result?: { readonly pointer: string; readonly pass: readonly string[] } | undefined;
  /** JSON pointer to the line that is shown for an output that passed. */
  readonly message?: string | undefined;
  /** JSON pointers to values that are never stored. */
  readonly redact?: readonly string[];
}

/** Key of one unit of work: the gate's id, or `gate/leg` for a leg of a matrix gate. */
export type UnitKey = string;

/** The {@link UnitKey} of a leg. */
export function unitKey(gate: string, leg: string): UnitKey {
  return leg === '' ? gate : `${gate}/${leg}`;
}

/** Names under which a definition is looked for, in a folder and in those above it. */
export const DEFAULT_FILES = [
  'gateline.yml',
  'gateline.yaml',
  '.github/gateline.yml',
  '.github/gateline.yaml',
] as const;
