import { beginAttempt, completeAttempt } from '../../src/engine/begin.ts';
import { runPipeline, type RunResult } from '../../src/engine/run.ts';
import type { Ports } from '../../src/engine/ports.ts';
import { GatelineError } from '../../src/errors.ts';
import type { EngineEvent } from '../../src/run/events.ts';
import type { Pipeline } from '../../src/pipeline/pipeline.ts';
import { orderOf } from '../support/pipelines.ts';
import { isEditorAlone } from './checks.ts';
import { Crew, type Behavior } from './memory-agents.ts';
import { createStores, MemoryState } from './memory-stores.ts';
import { MemoryFolder, MemoryWorkspace } from './memory-workspace.ts';
import { Oracle } from './oracle.ts';
import { Random } from './random.ts';

export interface SimulationOptions {
  /** All paths that the folder can have. */
  readonly paths: readonly string[];
  readonly behaviorOf: (unit: string) => Behavior;
  /** The user leaves alone what a running or killed agent declares as its files. */
  readonly careful: boolean;
  /** Takes a rule away. */
  readonly breakPorts?: (ports: Ports) => Ports;
}

export interface CallOptions {
  /** Probability that the user edits, at each step. */
  readonly editRate?: number;
  /** The operation at which the call dies. */
  readonly diesAt?: number;
  readonly maxParallel?: number;
  readonly subject?: string;
  readonly isSubjectGiven?: boolean;
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

/** How many operations a call has left; it dies at the next one of a kind, if that is named. */
interface Life {
  left: number;
  fatalOperation?: string;
}

/** A call that does nothing for so many turns of the event loop hangs. */
const MAX_IDLE = 2_000;

/** A folder in memory with its state, agents in steps, a user who edits at any moment, and calls that die at any moment. */
export class Simulation {
  readonly random: Random;
  readonly folder = new MemoryFolder();
  readonly state = new MemoryState();
  readonly crew: Crew;
  readonly oracle: Oracle;
  readonly options: SimulationOptions;
  edits = 0;
  readonly #undo: [path: string, content: string | null][] = [];
  #life: Life = { left: 0 };
  #time = Date.UTC(2030, 0, 1);

  constructor(seed: number, options: SimulationOptions) {
    this.random = new Random(seed);
    this.options = options;
    this.crew = new Crew(this.folder, this.state, options.behaviorOf);
    this.oracle = new Oracle(options.paths, this.folder, this.state, this.crew);
  }

  /** Kills the call that works now: its next operation, or its next one of a kind, never returns. */
  kill(operation?: string): void {
    if (operation === undefined) this.#life.left = 0;
    else this.#life.fatalOperation = operation;
  }

  /** The user writes a file. */
  set(path: string, content: string | null): void {
    if (this.folder.read(path) === content) return;
    this.folder.write(path, content, 'user');
    this.edits += 1;
    this.oracle.tally('edits');
  }

  /** The user edits some file, or takes an edit back. */
  edit(): void {
    const { random, options } = this;
    const free = options.paths.filter((path) => !options.careful || !this.oracle.isBusy(path));
    if (free.length === 0) return;
    const last = this.#undo.at(-1);
    if (last && random.chance(0.4)) {
      if (!free.includes(last[0])) return;
      this.#undo.pop();
      return this.set(...last);
    }
    const path = random.pick(free);
    this.#undo.push([path, this.folder.read(path)]);
    const content = random.chance(0.2) ? 3 + this.edits : random.int(3);
    this.set(path, random.chance(0.15) ? null : String(content));
  }

  /** The ports of one process. @param point waits before each operation */
  ports(point: (operation: string) => Promise<void>, observe: (event: EngineEvent) => void, onWrite = () => {}): Ports {
    const { oracle, folder, state, options } = this;
    const hooks = {
      point: (operation: string) => {
        if (operation === 'append' || operation === 'save' || operation === 'put') onWrite();
        return point(operation);
      },
      onSnapshot: oracle.onSnapshot.bind(oracle),
      onApply: oracle.onApply.bind(oracle),
      onPut: oracle.onPut.bind(oracle),
      onEntry: oracle.onEntry.bind(oracle),
      onFind: oracle.onFind.bind(oracle),
      onSave: oracle.onSave.bind(oracle),
    };
    const ports: Ports = {
      ...createStores(state, hooks),
      workspace: new MemoryWorkspace(folder, hooks),
      agents: this.crew.port(point),
      clock: { now: () => new Date((this.#time += 1_000)) },
      environment: {},
      platform: { os: 'linux', arch: 'x64' },
      toolVersion: () => Promise.reject(new Error('no gate names a tool')),
      observe,
    };
    return options.breakPorts?.(ports) ?? ports;
  }

  /** Ports of a command that nothing disturbs. */
  quietPorts(): Ports {
    return this.ports(
      () => Promise.resolve(),
      () => {},
    );
  }

  /** One call of `run`. @returns undefined if it died, or if an agent that works by itself holds the folder */
  async call(pipeline: Pipeline, options: CallOptions = {}): Promise<CallReport | undefined> {
    const order = orderOf(pipeline, options);
    const report = { ran: [] as string[], put: [] as string[], writes: 0 };
    const observe = (event: EngineEvent): void => {
      if (event.type === 'planned') this.oracle.onPlanned(event.plan);
      if (event.type === 'started') report.ran.push(event.unit);
      if (event.type === 'ended' && event.how === 'used') report.put.push(...event.changes.map(({ path }) => path));
    };
    this.oracle.beginCall(pipeline, order.subject, order.isSubjectGiven);
    const { signal } = new AbortController();
    const { edits } = this;
    const run = (ports: Ports) => runPipeline(ports, order, signal);
    const result = await this.#drive(options, observe, () => (report.writes += 1), run).catch((error: unknown) => {
      if (!(error instanceof GatelineError && error.fault === 'busy')) throw error;
      if (![...this.oracle.busy.values()].some(isEditorAlone))
        this.oracle.fault('e: busy without an agent that works by itself', error.message);
      this.oracle.tally('busy');
      return undefined;
    });
    const isDone = result?.status === 'completed' || result?.status === 'nothing';
    if (isDone && edits === this.edits) this.oracle.checkFiles();
    return result && { ...report, result };
  }

  /** An agent works by itself between `begin` and `complete`, both of which may die. @param meanwhile what happens then */
  async workAlone(
    pipeline: Pipeline,
    key: string,
    options: CallOptions,
    meanwhile: () => Promise<unknown>,
  ): Promise<void> {
    const order = orderOf(pipeline, options);
    const observe = (event: EngineEvent): void => {
      if (event.type === 'ended' && event.how === 'used')
        this.oracle.onPlanned({ ...event, choice: 'use', reason: '' });
    };
    this.oracle.beginCall(pipeline, order.subject, order.isSubjectGiven, key);
    const begun = await this.#drive(
      options,
      observe,
      () => {},
      (ports) => beginAttempt(ports, order, key),
    );
    if (begun?.choice !== 'run') return;
    const agent = this.crew.agentIn(begun.directory);
    const work = this.crew.work(agent);
    await meanwhile();
    while (agent.answer === undefined) {
      this.crew.step(this.random);
      if (this.random.chance(options.editRate ?? 0)) this.edit();
      await nextTurn();
    }
    const { exitCode } = await work;
    this.oracle.tally('completed alone');
    const complete = (ports: Ports) => completeAttempt(ports, order, begun.token, exitCode);
    this.oracle.beginCall(pipeline, order.subject, order.isSubjectGiven);
    const nothing = (): void => {};
    const ended = await this.#drive(options, nothing, nothing, complete);
    if (ended === undefined) await complete(this.quietPorts());
  }

  /** Lets a command and all agents go on, step by step, while the user edits. @returns undefined if the command died */
  async #drive<Result>(
    { editRate = 0, diesAt = Infinity, decide }: CallOptions,
    observe: (event: EngineEvent) => void,
    onWrite: () => void,
    command: (ports: Ports) => Promise<Result>,
  ): Promise<Result | undefined> {
    const { random, crew } = this;
    const life: Life = { left: diesAt };
    this.#life = life;
    const point = (operation: string): Promise<void> => {
      life.left = operation === life.fatalOperation ? 0 : life.left - 1;
      if (life.left <= 0) return new Promise(() => {});
      if (random.chance(editRate * 0.15)) this.edit();
      return Promise.resolve();
    };
    const ports = this.ports(point, (event) => life.left > 0 && observe(event), onWrite);
    const end: { settled?: Promise<Result> } = {};
    const promise = command(ports).finally(() => {
      end.settled = promise;
    });
    promise.catch(() => {});
    for (let idle = 0; end.settled === undefined; idle += 1) {
      await nextTurn();
      if (life.left <= 0) return this.#die(editRate);
      if (random.chance(editRate)) this.edit();
      if (decide && random.chance(0.03)) await decide();
      if (crew.step(random)) idle = 0;
      else if (idle > MAX_IDLE) throw new Error('the call hangs');
    }
    return end.settled;
  }

  /** The engine is gone: its agents go on for a while, and so does the user. */
  async #die(editRate: number): Promise<undefined> {
    this.oracle.tally('deaths');
    this.crew.dropPrepared();
    for (let steps = this.random.int(6); steps > 0; steps -= 1) {
      this.crew.step(this.random);
      await nextTurn();
      if (this.random.chance(editRate * 2)) this.edit();
    }
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
