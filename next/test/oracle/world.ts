import type { Ports } from '../../src/engine/ports.ts';
import type { Digest } from '../../src/json/digest.ts';
import type { JsonValue } from '../../src/json/json.ts';
import type { Pipeline } from '../../src/pipeline/pipeline.ts';
import type { AttemptRef } from '../../src/run/entry.ts';
import type { EngineEvent } from '../../src/run/events.ts';
import type { FileVersion } from '../../src/run/files.ts';
import { orderOf, type OrderOptions } from '../support/pipelines.ts';
import type { Crew, SimulatedAgent } from './memory-agents.ts';
import { createStores, MemoryState } from './memory-stores.ts';
import { MemoryFolder, MemoryWorkspace } from './memory-workspace.ts';
import { perform, watchPorts, type Command, type Hooks } from './watched-ports.ts';

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
  readonly state: State;
  crew?: Crew;
  /** Writes as an agent does. @returns undefined if it is done */
  write(agent: SimulatedAgent, path: string, content: string | null): Promise<void> | undefined;
  start(call: Call, command: Command): Running;
  /** Waits until something may have happened. */
  turn(): Promise<void>;
  /** Does something at once, with ports that nothing disturbs. @param isAlone no engine works */
  quietly<Result>(call: Call, isAlone: boolean, work: (ports: Ports) => Promise<Result>): Promise<Result>;
  /** Starts an agent that works by itself. */
  startAgent(directory: string, env: Readonly<Record<string, string>>): void;
}

/** All in this process: an operation happens at once, or never if the call died before it. */
export class MemoryWorld implements World {
  readonly folder = new MemoryFolder();
  readonly state = new MemoryState();
  readonly breakPorts: ((ports: Ports) => Ports) | undefined;
  crew?: Crew;
  #time = Date.UTC(2030, 0, 1);

  /** @param breakPorts takes a rule away */
  constructor(breakPorts?: (ports: Ports) => Ports) {
    this.breakPorts = breakPorts;
  }

  write({ unit }: SimulatedAgent, path: string, content: string | null): undefined {
    this.folder.write(path, content, unit);
  }

  start(call: Call, command: Command): Running {
    const promise = perform(this.#ports(call), orderOf(call.pipeline, call.options), command);
    const running: Running & { settled?: Promise<unknown> } = {
      isCalm: true,
      release: () => undefined,
      kill: () => Promise.resolve(),
    };
    const settle = () => void (running.settled = promise);
    promise.then(settle, settle);
    return running;
  }

  turn(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  quietly<Result>(call: Call, _: boolean, work: (ports: Ports) => Promise<Result>): Promise<Result> {
    return work(this.#ports(call));
  }

  startAgent(directory: string): void {
    void this.crew!.work(this.crew!.agentIn(directory));
  }

  #ports({ hooks }: Call): Ports {
    const ports = watchPorts(
      {
        ...createStores(this.state),
        workspace: new MemoryWorkspace(this.folder, hooks),
        agents: this.crew!.port(),
        clock: { now: () => new Date((this.#time += 1_000)) },
        environment: {},
        platform: { os: 'linux', arch: 'x64' },
        toolVersion: () => Promise.reject(new Error('no gate names a tool')),
        observe: hooks.observe,
      },
      hooks,
    );
    return this.breakPorts?.(ports) ?? ports;
  }
}
