import type { BeginResult } from '../../src/engine/attempt/begin.ts';
import type { RunResult } from '../../src/engine/run.ts';
import type { Ports } from '../../src/engine/ports.ts';
import { GatelineError } from '../../src/errors.ts';
import type { EngineEvent } from '../../src/run/events.ts';
import type { Pipeline } from '../../src/pipeline/pipeline.ts';
import { orderOf, type OrderOptions } from '../support/pipelines.ts';
import { isEditorAlone } from './checks.ts';
import { Crew, type Behavior } from './memory-agents.ts';
import { Oracle } from './oracle.ts';
import { Random } from './random.ts';
import { perform, type Command } from './watched-ports.ts';
import { MemoryWorld } from './memory/world.ts';
import type { Call, CallOptions, CallReport, Running, TestFolder, World } from './world.ts';

export interface SimulationOptions {
  /** All paths that the folder can have. */
  readonly paths: readonly string[];
  readonly behaviorOf: (unit: string) => Behavior;
  /** The user leaves alone what a running or killed agent declares as its files. */
  readonly careful: boolean;
  /** Takes a rule away, in memory. */
  readonly breakPorts?: (ports: Ports) => Ports;
  /** Default: in memory. */
  readonly world?: World;
}

/** How many operations a call has left; it dies at the next one of a kind, if that is named. */
interface Life {
  left: number;
  fatalOperation?: string;
  /** What happens before the next operation of a kind. */
  next?: { readonly operation: string; readonly work: () => Promise<void> };
}

export const BY = { actor: 'user', reason: 'a test' };

/** A call that does nothing for so many turns of the event loop hangs, and so does one that plans so often. */
const MAX_IDLE = 2_000;

/** A folder in memory with its state, agents in steps, a user who edits at any moment, and calls that die at any moment. */
export class Simulation {
  readonly random: Random;
  readonly world: World;
  readonly crew: Crew;
  readonly oracle: Oracle;
  readonly options: SimulationOptions;
  edits = 0;
  readonly #undo: [path: string, content: string | null][] = [];
  #life: Life = { left: 0 };

  constructor(seed: number, options: SimulationOptions) {
    this.random = new Random(seed);
    this.options = options;
    this.world = options.world ?? new MemoryWorld(options.breakPorts);
    this.crew = new Crew(this.world, options.behaviorOf);
    this.oracle = new Oracle(options.paths, this.crew);
  }

  get folder(): TestFolder {
    return this.world.folder;
  }

  /** Kills the call that works now: its next operation, or its next one of a kind, never returns. */
  kill(operation?: string): void {
    if (operation === undefined) this.#life.left = 0;
    else this.#life.fatalOperation = operation;
  }

  /** Does something just before the next operation of a kind. */
  before(operation: string, work: () => Promise<void>): void {
    this.#life.next = { operation, work };
  }

  /** The user writes a file. */
  set(path: string, content: string | null): void {
    if (this.folder.read(path) === content) return;
    this.oracle.history.add(path, this.folder.read(path), content);
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
    const text = String(random.chance(0.2) ? 3 + this.edits : random.int(3));
    const content = options.world ? random.pick(['', '', '', 'x', '@']) + text : text;
    this.set(path, random.chance(0.15) ? null : content);
  }

  /** A call of a command, without anything that disturbs it. */
  callOf(pipeline: Pipeline, options: OrderOptions = {}, hooks: Partial<Call['hooks']> = {}): Call {
    const { oracle, world } = this;
    const { subject, isSubjectGiven, maxParallel } = options;
    return {
      pipeline,
      options: { subject, isSubjectGiven, maxParallel },
      hooks: {
        point: () => Promise.resolve(),
        observe: () => {},
        onSnapshot: (id) => oracle.onSnapshot(world.folder.tree(id)),
        onApply: (id, changes) => oracle.onApply(world.folder.tree(id), changes),
        onPut: oracle.onPut.bind(oracle),
        onEntry: oracle.onEntry.bind(oracle),
        onFind: oracle.onFind.bind(oracle),
        onSave: oracle.onSave.bind(oracle),
        ...hooks,
      },
    };
  }

  /** A command that nothing disturbs. @param isAlone no call works at the same time */
  quietly<Result>(
    pipeline: Pipeline,
    options: OrderOptions,
    work: (ports: Ports) => Promise<Result>,
    isAlone = true,
  ): Promise<Result> {
    return this.world.quietly(this.callOf(pipeline, options), isAlone, work);
  }

  /** One call of `run`. @returns undefined if it died, or if an agent that works by itself holds the folder */
  async call(pipeline: Pipeline, options: CallOptions = {}): Promise<CallReport | undefined> {
    const { subject, isSubjectGiven } = orderOf(pipeline, options);
    const report = { ran: [] as string[], put: [] as string[], writes: 0 };
    let plans = 0;
    const observe = (event: EngineEvent): void => {
      if (event.type === 'planned' && (plans += 1) > MAX_IDLE) throw new Error('the call never ends');
      if (event.type === 'planned') this.oracle.onPlanned(event.plan);
      if (event.type === 'started') report.ran.push(event.unit);
      if (event.type === 'ended' && event.how === 'used') report.put.push(...event.changes.map(({ path }) => path));
    };
    this.oracle.beginCall(pipeline, subject, isSubjectGiven);
    const { edits } = this;
    const onWrite = (): void => void (report.writes += 1);
    const { isIsolated } = options;
    const work = this.#drive<RunResult>(pipeline, options, { kind: 'run', isIsolated }, observe, onWrite);
    const result = await work.catch((error: unknown) => {
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
    unit: string,
    options: CallOptions,
    meanwhile: () => Promise<unknown>,
  ): Promise<void> {
    const { subject, isSubjectGiven } = orderOf(pipeline, options);
    const observe = (event: EngineEvent): void => {
      if (event.type === 'ended' && event.how === 'used')
        this.oracle.onPlanned({ ...event, choice: 'use', reason: '' });
    };
    this.oracle.beginCall(pipeline, subject, isSubjectGiven, unit);
    const begun = await this.#drive<BeginResult>(pipeline, options, { kind: 'begin', unit }, observe);
    if (begun?.choice !== 'run') return;
    const agent = this.crew.agentIn(begun.directory);
    this.world.startAgent(begun.directory, begun.env);
    await meanwhile();
    while (agent.answer === undefined) {
      this.crew.step(this.random);
      if (this.random.chance(options.editRate ?? 0)) this.edit();
      await this.world.turn();
    }
    this.oracle.tally('completed alone');
    const complete: Command = { kind: 'complete', token: begun.token, exitCode: agent.answer.exitCode };
    this.oracle.beginCall(pipeline, subject, isSubjectGiven);
    try {
      const ended = await this.#drive(pipeline, options, complete);
      if (ended === undefined)
        await this.quietly(pipeline, options, (ports) => perform(ports, orderOf(pipeline, options), complete));
    } catch (error) {
      // It died after it had taken it.
      if (!(error instanceof GatelineError) || !this.oracle.busy.has(unit)) throw error;
      this.oracle.fault('e: finished work is not taken', unit, error.message);
    }
  }

  /** Lets a command and all agents go on, step by step, while the user edits. @returns undefined if the command died */
  async #drive<Result>(
    pipeline: Pipeline,
    options: CallOptions,
    command: Command,
    observe: (event: EngineEvent) => void = () => {},
    onWrite: () => void = () => {},
  ): Promise<Result | undefined> {
    const { random, crew } = this;
    const { editRate = 0, diesAt = Infinity, decide } = options;
    const life: Life = { left: diesAt };
    this.#life = life;
    const point = async (operation: string): Promise<void> => {
      life.left = operation === life.fatalOperation ? 0 : life.left - 1;
      if (operation === 'append' || operation === 'save' || operation === 'put') onWrite();
      if (life.left <= 0) return new Promise(() => {});
      const { next } = life;
      if (operation === next?.operation) {
        life.next = undefined;
        await next.work();
      }
      if (running.isCalm && random.chance(editRate * 0.15)) this.edit();
      if (decide && !this.options.world && random.chance(0.02)) await decide();
    };
    const hooks = {
      point,
      onRead: this.oracle.onRead.bind(this.oracle),
      observe: (event: EngineEvent) => (life.left > 0 || this.options.world) && observe(event),
    };
    const running: Running = this.world.start(this.callOf(pipeline, options, hooks), command);
    for (let idle = 0; ; idle += 1) {
      await this.world.turn();
      if (life.left <= 0) {
        await running.kill();
        return this.#die(editRate);
      }
      if (running.settled) return running.settled as Promise<Result>;
      if (running.isCalm && random.chance(editRate)) this.edit();
      if (decide && running.isCalm && random.chance(0.03)) await decide();
      if (crew.step(random)) idle = 0;
      else if (idle > MAX_IDLE) throw new Error('the call hangs');
      running.release();
    }
  }

  /** The engine is gone: its agents go on for a while, and so does the user. */
  async #die(editRate: number): Promise<undefined> {
    this.oracle.tally('deaths');
    this.crew.dropPrepared();
    for (let steps = this.random.int(6); steps > 0; steps -= 1) {
      this.crew.step(this.random);
      await this.world.turn();
      if (this.random.chance(editRate * 2)) this.edit();
    }
  }
}
