import type { JsonObject, JsonValue } from '../json/json.ts';
import type { Place } from '../errors.ts';

/** Ids of pipelines, gates and groups. */
export const ID_PATTERN = /^[a-z_][a-z0-9_-]{0,39}$/;

/** A checked pipeline: the content of `gateline.yml`, every default filled in, every reference resolved. */
export interface Pipeline {
  readonly id: string;
  /** What a run is about. Undefined: the caller names it, and it is not part of a request. */
  readonly subject: string | undefined;
  /** The goal of a run, for every agent. */
  readonly task: string | undefined;
  /** Free values that agents see (in the state guide: domain, feature, url, userStory, acceptanceCriteria). */
  readonly metadata: JsonObject;
  /** How many gates may run side by side. Default 2. */
  readonly maxParallel: number;
  /** The most that one run may cost, in US dollars; no further gate starts at or above it. */
  readonly maxCost: number | undefined;
  /** Gates in file order; a gate needs only gates of this list, in an order without circles. */
  readonly gates: readonly Gate[];
  /** Named sets of gates that are shown together (as in agent-flow), in file order. */
  readonly groups: readonly Group[];
  /** Globs of scratch files that are nobody's: never inputs, never a change. */
  readonly ignore: readonly string[];
  /** Paths whose content may look like a secret and is handed on all the same. */
  readonly allowSecrets: readonly string[];
  /** `.state/` holds files of these systems too, renewed after each entry. */
  readonly mirror: readonly string[];
  /** Prints the Markdown checkpoint of each gate. */
  readonly checkpoints: boolean;
  readonly snapshots: { readonly database: DatabaseCommands | undefined };
  /** Which old runs the end of a run removes. Undefined: none. */
  readonly retention: Retention | undefined;
  /** A command that prepares a clone (`--isolated`, sets). It runs once after the clone is made. */
  readonly setup: string | undefined;
  /** Entities and commands (as in UASP), as they stand in the file. */
  readonly entities: Readonly<Record<string, EntityDefinition>>;
  readonly commands: Readonly<Record<string, CommandDefinition>>;
  /** What the compiled workflow proposes as a pull request. */
  readonly deliver: Delivery | undefined;
  /** Passed through by `compile` in GitHub's spelling: `on`, and the defaults of every job. */
  readonly on: JsonValue | undefined;
  readonly job: JsonObject | undefined;
}

export interface DatabaseCommands {
  /** Writes the database to the file named by `GATELINE_DATABASE`. */
  readonly save: string;
  /** Replaces the database by the file named by `GATELINE_DATABASE`. */
  readonly restore: string;
}

/** Runs that `clean` keeps: those of the last days, and the newest of each subject. Undefined: as many as there are. */
export interface Retention {
  readonly days?: number;
  readonly runs?: number;
}

/** Gates whose files a pull request proposes when the run has passed. */
export interface Delivery {
  readonly gates: readonly string[];
  /** Paths that run by themselves (workflows, hooks) and are delivered all the same. */
  readonly allow: readonly string[];
}

/** A named set of gates. For display, and for `max-parallel` among its gates. */
export interface Group {
  readonly id: string;
  readonly gates: readonly string[];
  /** `sequential`: `max-parallel` 1 (agent-flow: team or sequential). */
  readonly mode: 'parallel' | 'sequential';
}

/** Several attempts for one request, for agents whose output varies. */
export interface Repeat {
  /** 2 to 20. */
  readonly times: number;
  /** How many must pass. */
  readonly pass: number;
}

/** One node of the pipeline: an agent, and the contract that its output must meet. */
export interface Gate {
  readonly id: string;
  /** The N of `gate{N}-output.json`: `number:`, else the position in the file from 0. Unique. */
  readonly number: number;
  /** Name shown for the agent. Default: the id. */
  readonly agent: string;
  /** The command, as in a `run:` step. Undefined: an agent that works by itself, between `begin` and `complete`. */
  readonly run: string | undefined;
  /** Another action as the agent, in the compiled workflow. Never with `run`; `local` runs in its place elsewhere. */
  readonly uses: UsedAction | undefined;
  /** `bash` (default), `sh`, `pwsh`, `python`, `node`, or a template with `{0}` for the script, as on GitHub. */
  readonly shell: string;
  /** Relative to the workspace, `/`-separated, inside it. Default `.`. */
  readonly workingDirectory: string;
  /** Ids of the gates that must be done first, in file order. */
  readonly needs: readonly string[];
  /** Condition in GitHub's expression language, without `${{ }}`. False: not applicable. */
  readonly if: string | undefined;
  /** Globs of the files that it reads. Undefined: every file; empty: none. */
  readonly inputs: readonly string[] | undefined;
  /** Globs of the files that it makes or changes, or `changed`: all that it changes. Undefined: none. */
  readonly files: 'changed' | readonly string[] | undefined;
  /** Names of documents in `.gateline/memory/` that the agent gets; `handoff` and `deep-dive` are made by Gateline. */
  readonly memory: readonly string[];
  /** Variables of the agent, part of the request. `null`: the value is the caller's. */
  readonly env: Readonly<Record<string, string | null>>;
  /** Free values for the agent (`prompt`, `model`, …), part of the request. */
  readonly with: JsonObject;
  /** Tools whose version is part of the request: name → command that prints it. */
  readonly tools: Readonly<Record<string, string>>;
  /** Variables that hold secrets: given to the agent, redacted everywhere, by name only in the request. */
  readonly secrets: readonly string[];
  readonly contract: ContractSource;
  /** JSON pointers of the parts of the output that later gates see. Default `['']`: all of it. */
  readonly exports: readonly string[];
  /** `json`: the one JSON value in a fence or between prose is taken as the output. */
  readonly extract: 'json' | undefined;
  /** Further attempts in one call after one that failed. Default 0, at most 10. */
  readonly retries: number;
  /** Several attempts for one request, judged together. */
  readonly repeat: Repeat | undefined;
  /** Default 60, at most 4320; fractions allowed. */
  readonly timeoutMinutes: number;
  readonly onFail: OnFail | undefined;
  /** `required`: a person must approve the output before later gates may use it. */
  readonly approval: 'required' | undefined;
  /** Milliseconds after which an output is too old to be used. */
  readonly maxAge: number | undefined;
  /** The caller's input may replace the output of a need that has none (the state guide, step 0B). */
  readonly standIn: boolean;
  /** The legs of a matrix, or where they come from; undefined: one unit. */
  readonly matrix: Matrix | undefined;
  readonly entities: EntityUse;
  /** Keys of the job in the compiled workflow, in GitHub's spelling. */
  readonly job: JsonObject | undefined;
  /** Where the gate begins in gateline.yml: where a missing key would be added. */
  readonly place: Place;
  /** Where its schema is named, or would be added. */
  readonly schemaPlace: Place;
}

export interface UsedAction {
  readonly action: string;
  readonly with: JsonObject;
  /** Expression of the output. Undefined: the file of `GATELINE_OUTPUT`. */
  readonly output: string | undefined;
  readonly local: string | undefined;
}

/** Where work goes back to if an output fails the contract (iterations in agent-flow, fix tasks in dev-loop). */
export interface OnFail {
  /** An ancestor of the gate. */
  readonly goto: string;
  /** How often that gate may work, the first time included. Default 3; 1 never sends back. */
  readonly maxIterations: number;
}

export type Matrix = { readonly maxParallel: number | undefined; readonly failFast: boolean } & (
  | { readonly legs: readonly Leg[] }
  /**
   * The legs are the items of a list in the output of `gate`, at a JSON pointer. Each is the value of `variable`; with
   * the variable `''` an item that is a map is all values of its leg, any other its `value`.
   */
  | { readonly from: { readonly gate: string; readonly pointer: string; readonly variable: string } }
);

/** One of the parallel copies of a matrix gate. */
export interface Leg {
  /** A slug of the values (`chrome-linux`), unique in the gate; '' without a matrix. */
  readonly id: string;
  readonly matrix: JsonObject;
}

/** What an output must meet, as written in the file. */
export interface ContractSource {
  readonly schema: { readonly path: string } | { readonly inline: JsonValue } | undefined;
  /** JSON pointer to the score. Undefined: 100 if everything else is met. */
  readonly score: string | undefined;
  /** 0-100. Default: 80 with `score`, else 0. */
  readonly threshold: number;
  /** Effect of a score below the threshold. Default `block`. */
  readonly partial: 'block' | 'continue' | 'pause';
  readonly checks: readonly string[];
  /** JSON pointer to the agent's own label, and the labels that pass. */
  readonly result: { readonly pointer: string; readonly pass: readonly string[] } | undefined;
  /** JSON pointer to the line that is shown for an output that passed. */
  readonly message: string | undefined;
  /** JSON pointers to values that are never stored. */
  readonly redact: readonly string[];
}

/** Names of the entities that a gate or command uses. */
export interface EntityUse {
  readonly requires: readonly string[];
  readonly creates: readonly string[];
  readonly invalidates: readonly string[];
  /** If a required entity is not valid: `recover` first runs the commands that create it. */
  readonly onInvalid: 'fail' | 'recover';
}

export interface EntityDefinition {
  /** How an instance is named: `resource_{id}`. Undefined: there is one instance. */
  readonly format: string | undefined;
  readonly properties: readonly string[];
  readonly dependsOn: readonly string[];
  /** JSON pointer to the time in its value at which it becomes invalid. */
  readonly expiresAt: string | undefined;
}

export interface CommandDefinition extends EntityUse {
  /** The program and its arguments, without a shell. `<name>` is an argument. */
  readonly syntax: string;
  /** Name of what it prints. */
  readonly returns: string | undefined;
  /** It may run by itself to make what it creates valid again. */
  readonly setup: boolean;
  readonly timeoutMinutes: number;
}

/** The gate's id, or `gate/leg`. */
export type UnitKey = string;

export function unitKey(gate: string, leg: string): UnitKey {
  return leg === '' ? gate : `${gate}/${leg}`;
}

/** Names under which the definition is looked for in a folder, in this order. */
export const DEFINITION_FILES = [
  'gateline.yml',
  'gateline.yaml',
  '.github/gateline.yml',
  '.github/gateline.yaml',
] as const;

/** Inputs of a dispatched workflow that the actions read, as `gateline compile` declares them. */
export const DISPATCH_INPUTS = {
  resume: 'Id of an earlier run whose outputs may be used',
  from: 'Gate that runs again, with all gates after it',
  force: 'Gate or leg that runs again',
  skip: 'Gate or leg that is passed over',
  approve: 'Gate or leg, and the digest of its output as the report prints it',
  reason: 'Why; needed with from, force, skip and approve',
  rework: 'Work that a gate sent back; the report sets it',
} as const;
