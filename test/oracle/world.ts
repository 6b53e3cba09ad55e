import type { RunResult } from '../../src/engine/run.ts';
import type { Ports } from '../../src/engine/ports.ts';
import type { Digest } from '../../src/json/digest.ts';
import type { JsonValue } from '../../src/json/json.ts';
import type { Pipeline } from '../../src/pipeline/pipeline.ts';
import type { AttemptRef } from '../../src/run/entry.ts';
import type { EngineEvent } from '../../src/run/events.ts';
import type { FileVersion } from '../../src/run/files.ts';
import type { OrderOptions } from '../support/pipelines.ts';
import type { Crew, SimulatedAgent } from './memory-agents.ts';
import type { Command, Hooks } from './watched-ports.ts';

/** The files of a folder at one moment: path → content. */
export type Tree = ReadonlyMap<string, string>;

/** The folder in which a pipeline runs, as the test sees it. */
export interface TestFolder {
  /** Path → who wrote the present content: `user`, `put` or a unit. */
  readonly writers: Map<string, string>;
  /** What refs keep. */
  listKept(): readonly Tree[];
  read(path: string): string | null;
  write(path: string, content: string | null, writer?: string): void;
  /** The files of a snapshot. */
  tree(snapshot: string): Tree;
  contentOf(version: FileVersion | null): string | null;
}

/** The files of an attempt, by name. */
export type AttemptDirectory = Pick<Map<string, Uint8Array>, 'get' | 'set'>;

/** What `.state` holds, as the test sees it. */
export interface State {
  valueOf(digest: Digest): JsonValue;
  directoryOf(attempt: AttemptRef): string;
  readonly directories: Map<string, AttemptDirectory>;
}

/** What a command is called for. */
export interface Call {
  readonly pipeline: Pipeline;
  readonly options: OrderOptions;
  readonly hooks: Hooks & {
    /** A file is about to be replaced. */
    onPut(path: string, before: string | null, after: string | null): void;
    observe(event: EngineEvent): void;
  };
}

/** How a call works, and what disturbs it. */
export interface CallOptions extends OrderOptions {
  /** Probability that the user edits, at each step. */
  readonly editRate?: number;
  /** The operation at which the call dies. */
  readonly diesAt?: number;
  /** The call works in a clone of the folder. */
  readonly isIsolated?: boolean;
  /** A person decides something while the call works. */
  readonly decide?: () => Promise<void>;
}

/** What a call did. `writes` counts entries, checkpoints and files that it wrote. */
export interface CallReport {
  readonly result: RunResult;
  readonly ran: readonly string[];
  readonly put: readonly string[];
  readonly writes: number;
}

/** A command that works. */
export interface Running {
  /** How it ended. */
  readonly settled?: Promise<unknown>;
  /** The engine is between two operations, or waits for agents. */
  readonly isCalm: boolean;
  /** Lets operations that wait take effect. */
  release(): void;
  kill(): Promise<void>;
}

/** Where a scenario takes place: in memory, or on a disk with git and processes. */
export interface World {
  readonly folder: TestFolder;
  /** Where the newest call worked: there, or in a clone of it. */
  readonly place: TestFolder;
  readonly state: State;
  crew?: Crew;
  /** Writes as an agent does. @returns undefined if it is done */
  write(agent: SimulatedAgent, path: string, content: string | null): Promise<void> | undefined;
  start(call: Call, command: Command): Running;
  /** Waits until something may have happened. */
  turn(): Promise<void>;
  /** Brings the files of the last isolated run into the folder. @returns what it led from and to; undefined: there is none */
  apply(call: Call): Promise<readonly [base: Tree, result: Tree] | undefined>;
  /** Does something at once, with ports that nothing disturbs. @param isAlone no engine works */
  quietly<Result>(call: Call, isAlone: boolean, work: (ports: Ports) => Promise<Result>): Promise<Result>;
  /** Starts an agent that works by itself. */
  startAgent(directory: string, env: Readonly<Record<string, string>>): void;
}
