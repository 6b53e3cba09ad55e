import type { AgentFile, Agents } from '../agent/agent.ts';
import type { Contract } from '../verdict/contract.ts';
import type { Redactor } from '../untrusted/redact.ts';
import type { Checkpoint } from '../run/checkpoint.ts';
import type { AttemptRef, Content } from '../run/entry.ts';
import type { EngineEvent } from '../run/events.ts';
import type { JsonObject, JsonValue } from '../json/json.ts';
import type { Pipeline, UnitKey } from '../pipeline/pipeline.ts';
import type { Checkpoints, Contents, Entities, Log } from '../store/stores.ts';
import type { Unit } from '../run/units.ts';
import type { Issue, Verdict } from '../verdict/verdict.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** The directories of attempts: what agents read and write. */
export interface AttemptFiles {
  /** A new, empty directory. @returns its absolute path */
  create(attempt: AttemptRef): Promise<string>;
  pathOf(attempt: AttemptRef): string;
  remove(attempt: AttemptRef): Promise<void>;
  write(directory: string, name: string, bytes: Uint8Array | string): Promise<void>;
  /** @param limit bytes; links are not followed */
  read(directory: string, name: string, limit: number): Promise<AgentFile>;
}

/** Saves and restores the database that gates change, by the commands of the definition. */
export interface Database {
  save(attempt: AttemptRef): Promise<void>;
  /** @returns false if nothing was saved before that attempt */
  restore(attempt: AttemptRef, isIsolated: boolean): Promise<boolean>;
}

/** State files that agents write instead of `GATELINE_OUTPUT` (envelopes of the state guide). */
export interface AgentStateFiles {
  /** Removes the file of a unit, before its agent starts. */
  clear(unit: Unit): Promise<void>;
  /** The output in the file; undefined: there is no file. */
  read(unit: Unit): Promise<{ readonly bytes: Uint8Array } | { readonly issues: readonly Issue[] } | undefined>;
}

/** Documents for agents, in `.gateline/memory/`. */
export interface Documents {
  /** Undefined: there is none. @throws GatelineError `usage` if it is no plain file of at most 1 MiB */
  read(name: string): Promise<Uint8Array | undefined>;
}

/** The stores, files, processes and clock that the engine works with. */
export interface Ports {
  readonly log: Log;
  readonly contents: Contents;
  readonly checkpoints: Checkpoints;
  readonly entities: Entities;
  readonly workspace: Workspace;
  readonly agents: Agents;
  readonly attempts: AttemptFiles;
  readonly documents: Documents;
  /** Absent: gates change no database. */
  readonly database?: Database;
  /** Absent: agents write their output only where the protocol says. */
  readonly stateFiles?: AgentStateFiles;
  readonly clock: { now(): Date };
  /** The caller's variables. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly platform: { readonly os: string; readonly arch: string };
  /** The version that a command prints; asked once per call. */
  readonly toolVersion: (command: string) => Promise<string>;
  readonly observe: (event: EngineEvent) => void;
}

/** What later gates get from a unit. */
export interface UnitOutput {
  /** Absent: the condition of the gate is false. */
  readonly checkpoint?: Checkpoint;
  readonly verdict: Verdict;
  readonly exports?: Content;
  /** Paths of its own files and of those that its needs handed on. */
  readonly handedOn: readonly string[];
}

/** What a run is about. */
export interface Assignment {
  readonly subject: string;
  /** Whether somebody gave the subject: only then it is part of requests. */
  readonly isSubjectGiven: boolean;
  readonly task?: string;
  readonly metadata: JsonObject;
  /** The caller's input. */
  readonly input: JsonValue;
}

/** Who decides, and why. */
export interface Decider {
  readonly actor: string;
  readonly reason: string;
}

/** The order of a command: a pipeline, what its run is about, and how to run it. */
export interface Order extends Assignment {
  readonly pipeline: Pipeline;
  /** Path of the definition, relative to the workspace: neither an input nor a file of any gate. */
  readonly definitionFile: string;
  /** By gate, with schema files read. */
  readonly contracts: ReadonlyMap<string, Contract>;
  readonly redactor: Redactor;
  /** Only these gates. Default: all. */
  readonly only?: ReadonlySet<string>;
  readonly maxParallel?: number;
  /** Gates work in a clone of the folder. */
  readonly isIsolated?: boolean;
  /**
   * Number of entries in the log when runs of several subjects began side by side: later entries of other subjects are
   * about other clones. Default: no other run is active.
   */
  readonly otherEntries?: number;
  /** Replaces the limit of each loop in this call. */
  readonly maxIterations?: number;
  /** Number of the run, if GitHub counts. Default: the next one of the log. */
  readonly run?: number;
  /** Outputs of units that other jobs have judged: they are used as they are. */
  readonly outputs?: ReadonlyMap<UnitKey, UnitOutput>;
  /** What other jobs of the run have cost, in US dollars. */
  readonly spentUsd?: number;
  /** By gate that is not done: the value that replaces its output for gates with `stand-in`, and where it is from. */
  readonly standIns?: ReadonlyMap<string, { readonly value: JsonValue; readonly reason: string }>;
}
