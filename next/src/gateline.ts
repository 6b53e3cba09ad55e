import { beginAttempt, completeAttempt, type Begun } from './engine/begin.ts';
import { adoptOutput, decide, giveUpAttempts, keepOutputs, type Decider } from './engine/decide.ts';
import type { Order } from './engine/ports.ts';
import { planPipeline } from './engine/plan.ts';
import { rollBack, type Rollback } from './engine/rollback.ts';
import { runPipeline, type RunResult } from './engine/run.ts';
import { applyStrategy, type Strategy } from './engine/strategy.ts';
import { GatelineError } from './errors.ts';
import type { Environment } from './environment.ts';
import type { HistoryEntry } from './history/history-entry.ts';
import type { JsonValue } from './json/json.ts';
import { assignmentFor, secretValues, type Assignment, type Given } from './local/assignment.ts';
import { applyClone, openClone, type Applied } from './local/clone.ts';
import { checkFolder, repairFolder, type FolderProblem } from './local/check.ts';
import { cleanFolder, type Cleaned, type CleanRules } from './local/clean.ts';
import { findActor } from './local/actor.ts';
import { appendRunToHistory, readFolderHistory } from './local/history.ts';
import { importStateGuide, type Imported } from './local/import.ts';
import { loadDefinition, type Definition } from './local/load-definition.ts';
import { mirrorRun } from './local/mirror.ts';
import { diffRun, readPart } from './local/parts.ts';
import { openFolder, type Folder, type FolderAccess } from './local/folder.ts';
import { findStandIns } from './local/stand-ins.ts';
import type { UnitKey } from './pipeline/pipeline.ts';
import { createRunView } from './report/run-view.ts';
import type { Part, PartValue, RunView } from './report/view.ts';
import type { EndedEntry } from './run/entry.ts';
import type { EngineEvent, UnitPlan } from './run/events.ts';
import { createRedactor } from './untrusted/redact.ts';

/** What a {@link Gateline} works on. */
export interface GatelineOptions extends Given {
  /** Default: the working directory. */
  readonly folder?: string;
  /** The definition. Default: gateline.yml in the folder or above it. */
  readonly file?: string;
  /** Default: the variables of this process. */
  readonly environment?: Environment;
  readonly observe?: (event: EngineEvent) => void;
}

/** How a call of {@link Gateline.run} works. */
export interface RunOptions {
  /** These gates and what they need. */
  readonly until?: readonly string[];
  /** Only these gates; what they need must be done, or have a stand-in. */
  readonly only?: readonly string[];
  /** These gates run again even if nothing changed. */
  readonly force?: readonly string[];
  readonly strategy?: Strategy;
  /** Works in a clone of the folder; `apply` brings its files back. */
  readonly isolated?: boolean;
  /** Closes the open run first. */
  readonly fresh?: boolean;
  readonly maxParallel?: number;
  readonly maxIterations?: number;
  readonly by?: Partial<Decider>;
  readonly signal?: AbortSignal;
}

/** How a run ended, and how it stands. */
export interface RunOutcome {
  readonly result: Pick<RunResult, 'status' | 'run' | 'ran'>;
  readonly view: RunView;
}

/** A pipeline in a folder: every verb of the command line, returning plain data. */
export class Gateline {
  readonly definition: Definition;
  readonly assignment: Assignment;
  readonly #environment: Environment;
  readonly #observe: (event: EngineEvent) => void;

  private constructor(definition: Definition, assignment: Assignment, options: GatelineOptions) {
    this.definition = definition;
    this.assignment = assignment;
    this.#environment = options.environment ?? process.env;
    this.#observe = options.observe ?? (() => undefined);
  }

  /** Reads the definition. @throws DefinitionError with every problem of the file */
  static async open(options: GatelineOptions = {}): Promise<Gateline> {
    const definition = await loadDefinition(options.folder ?? process.cwd(), options.file);
    const branch = await findBranch(definition.root);
    return new Gateline(definition, assignmentFor(definition.pipeline, options, branch), options);
  }

  /** What {@link run} would do with each gate, and why. */
  plan(options: RunOptions = {}): Promise<readonly UnitPlan[]> {
    return this.#use('beside', options.isolated, async (folder, order) => planPipeline(folder.ports, { ...order, ...limitsOf(order, options) }));
  }

  /** Runs the pipeline, or continues its run. */
  run(options: RunOptions = {}): Promise<RunOutcome> {
    return this.#use('engine', options.isolated, async (folder, order) => {
      const { ports } = folder;
      const by = await this.#decider(options.by, order, 'gateline run');
      const limited = { ...order, ...limitsOf(order, options) };
      if (options.fresh) await this.#closeOpenRun(folder, order, by);
      for (const gate of options.force ?? []) for (const unit of unitsOf(order, gate)) await decide(ports, order, 'force', by, unit);
      if (options.strategy) await applyStrategy(ports, order, options.strategy, by);
      if (options.only) limited.standIns = await findStandIns(folder, order);
      const result = await runPipeline(ports, limited, options.signal ?? new AbortController().signal);
      const view = await this.#end(folder, order, result.status !== 'nothing');
      return { result: { status: result.status, run: result.run, ran: result.ran }, view };
    });
  }

  /** Continues a run that a person paused. */
  async resume(options: RunOptions & { readonly by: Partial<Decider> }): Promise<RunOutcome> {
    const { status } = await this.view();
    if (status === 'paused' || status === 'rollback') await this.#useDecision('resume', options.by, undefined, true);
    return this.run(options);
  }

  /** Begins an attempt of an agent that works by itself. */
  begin(unit: UnitKey): Promise<Begun> {
    return this.#use('engine', false, async (folder, order) => {
      const standIns = await findStandIns(folder, order);
      const begun = await beginAttempt(folder.ports, { ...order, standIns }, unit);
      await this.#end(folder, order, true);
      return begun;
    });
  }

  /** Ends the attempt that {@link begin} began. @param exitCode of the agent */
  complete(token: string, exitCode = 0): Promise<{ readonly ended: EndedEntry; readonly view: RunView }> {
    return this.#use('engine', false, async (folder, order) => {
      const standIns = await findStandIns(folder, order);
      const ended = await completeAttempt(folder.ports, { ...order, standIns }, token, exitCode);
      return { ended, view: await this.#end(folder, order, true) };
    });
  }

  /** How a run stands. @param run default: the newest */
  view(run?: number): Promise<RunView> {
    return this.#use('read', false, (folder, order) => this.#view(folder, order, run));
  }

  /** One part of what a unit left: its output, its request, its log. */
  part(unit: UnitKey, part: Part, which: { readonly run?: number; readonly attempt?: number } = {}): Promise<PartValue> {
    return this.#use('read', false, (folder, order) => readPart(folder, order, unit, part, which));
  }

  /** What the gates of the newest run changed, as a unified diff. @param unit only this one */
  diff(unit?: UnitKey): Promise<string> {
    return this.#use('beside', false, (folder, order) => diffRun(folder, order, unit));
  }

  /** Brings the files of an isolated run into the folder. */
  apply(isDry = false): Promise<Applied> {
    return this.#use('engine', false, (folder, order) => applyClone(folder, order, isDry));
  }

  /** Takes back what gates after `to` did. @param to a gate, or `all` */
  rollback(to: string, by: Partial<Decider>, isDry = false): Promise<Rollback> {
    return this.#use('engine', false, async (folder, order) => {
      const rollback = await rollBack(folder.ports, order, to, await this.#decider(by, order, 'gateline rollback'), isDry);
      if (!isDry) await this.#end(folder, order, true);
      return rollback;
    });
  }

  /** Approves, rejects, skips or forces a unit; pauses, resumes or closes the run. */
  async decide(decision: Parameters<typeof decide>[2], by: Partial<Decider>, unit?: UnitKey): Promise<RunView> {
    if (decision === 'reject' || decision === 'close') {
      const order = await this.#use('read', false, async (_folder, value) => value);
      const isBegun = (await this.view()).units.some(({ key, status }) => status === 'running' && (unit === undefined || key === unit));
      if (isBegun) await this.#use('engine', false, (folder) => giveUpAttempts(folder.ports, order, unit));
    }
    return this.#useDecision(decision, by, unit);
  }

  /** Says that outputs hold for the folder as it is now. @returns their units */
  keep(units: readonly UnitKey[], by: Partial<Decider>): Promise<readonly UnitKey[]> {
    return this.#use('engine', false, async (folder, order) =>
      keepOutputs(folder.ports, order, units, await this.#decider(by, order, 'gateline keep')),
    );
  }

  /** Supplies the output of a unit for today's request. */
  adopt(unit: UnitKey, value: JsonValue, by: Partial<Decider>): Promise<RunView> {
    return this.#use('read', false, async (folder, order) => {
      await adoptOutput(folder.ports, order, unit, value, await this.#decider(by, order));
      return this.#view(folder, order);
    });
  }

  /** One entry per run that ended, newest first. */
  history(): Promise<readonly HistoryEntry[]> {
    return this.#use('read', false, (folder) => readFolderHistory(folder));
  }

  clean(rules: CleanRules, isDry = false): Promise<Cleaned> {
    return this.#use('engine', false, (folder, order) => cleanFolder(folder, order, rules, isDry));
  }

  /** What is wrong with `.state/`. */
  check(repair = false): Promise<readonly FolderProblem[]> {
    if (repair) return this.#use('engine', false, (folder) => repairFolder(folder));
    return this.#use('read', false, (folder) => checkFolder(folder));
  }

  /** Takes over the outputs of another system's files: all or none. */
  import(system: string, path: string, by: Partial<Decider>): Promise<Imported> {
    return this.#use('engine', false, async (folder, order) =>
      importStateGuide(folder, order, system, path, await this.#decider(by, order, 'gateline import')),
    );
  }

  async #use<T>(access: FolderAccess, isolated: boolean | undefined, work: (folder: Folder, order: Order) => Promise<T>): Promise<T> {
    const { definition, assignment } = this;
    const redactor = createRedactor(secretValues(definition.pipeline, this.#environment));
    const order: Order = {
      pipeline: definition.pipeline,
      definitionFile: definition.file,
      contracts: definition.contracts,
      redactor,
      ...assignment,
    };
    const options = { access, environment: this.#environment, observe: this.#observe };
    await using folder = await openFolder(definition, redactor, options);
    if (!isolated) return work(folder, order);
    await using clone = await openClone(folder, order);
    return work(clone, order);
  }

  #useDecision(decision: Parameters<typeof decide>[2], by: Partial<Decider>, unit?: UnitKey, isAutomatic = false): Promise<RunView> {
    return this.#use('read', false, async (folder, order) => {
      const decider = await this.#decider(by, order, isAutomatic ? `gateline ${decision}` : undefined);
      await decide(folder.ports, order, decision, decider, unit);
      return this.#view(folder, order);
    });
  }

  async #closeOpenRun(folder: Folder, order: Order, by: Decider): Promise<void> {
    await giveUpAttempts(folder.ports, order);
    const { status } = await this.#view(folder, order);
    if (status !== 'completed' && status !== 'closed' && status !== 'initializing') await decide(folder.ports, order, 'close', by);
  }

  async #view(folder: Folder, order: Order, run?: number): Promise<RunView> {
    return createRunView({
      pipeline: order.pipeline,
      subject: order.subject,
      metadata: order.metadata,
      entries: await folder.ports.log.read(),
      isAlive: await folder.livingProcesses(),
      history: await readFolderHistory(folder),
      ...(run !== undefined && { run }),
    });
  }

  /** After a call that may have written: files of other systems, the history, old runs. */
  async #end(folder: Folder, order: Order, wrote: boolean): Promise<RunView> {
    if (wrote) await appendRunToHistory(folder, order);
    const view = await this.#view(folder, order);
    if (wrote) await mirrorRun(folder, order, view);
    if (wrote && order.pipeline.retention) await cleanFolder(folder, order, order.pipeline.retention, false, 'weekly');
    return view;
  }

  /** @param reason default; undefined: a reason must be given */
  async #decider(by: Partial<Decider> | undefined, order: Order, reason?: string): Promise<Decider> {
    const text = by?.reason ?? reason;
    if (text === undefined || text.trim() === '')
      throw new GatelineError('usage', 'a decision needs a reason', { hint: '`--reason` says why; it is shown wherever the decision is' });
    const actor = by?.actor ?? (await findActor(this.definition.root, this.#environment));
    return { actor, reason: order.redactor.text(text) };
  }
}

/** The limits of a call, as the engine takes them. */
function limitsOf({ pipeline }: Order, options: RunOptions): { -readonly [Key in 'only' | 'maxParallel' | 'maxIterations' | 'standIns']?: Order[Key] } {
  const { until, only, maxParallel, maxIterations } = options;
  for (const id of [...(until ?? []), ...(only ?? []), ...(options.force ?? [])])
    if (!pipeline.gates.some((gate) => gate.id === id)) throw new GatelineError('usage', `the pipeline has no gate ${id}`);
  const gates = only ?? (until && withAncestors(pipeline, until));
  return { ...(gates && { only: new Set(gates) }), maxParallel, maxIterations };
}
