import { beginAttempt, completeAttempt, type BeginResult } from './engine/begin.ts';
import { adoptOutput, decide, giveUpAttempts, hasClaims, keepOutputs, type DecisionName } from './engine/decide.ts';
import type { Assignment, Decider, Order } from './engine/ports.ts';
import { rollBack, type Rollback } from './engine/rollback.ts';
import { checkCommand, type CommandCheck, type CommandResult } from './engine/commands.ts';
import { GatelineError } from './errors.ts';
import { currentEnvironment, type Environment } from './environment.ts';
import type { History, HistoryFilter } from './history/query.ts';
import type { JsonValue } from './json/json.ts';
import { compileWorkflow, type CompiledWorkflow } from './local/compile.ts';
import { findActor, findBranch } from './local/git.ts';
import { checkFolder, repairFolder, type FolderProblem } from './local/check.ts';
import { cleanFolder, type CleanResult, type CleanRules } from './local/clean.ts';
import { applyClone, type ApplyResult } from './local/isolated.ts';
import {
  applyCommand,
  resetEntities,
  runFolderCommand,
  setEntity,
  viewEntities,
  type CommandOptions,
  type EntityView,
} from './local/entities.ts';
import { Folder, type FolderAccess } from './local/folder.ts';
import { formatNamed, importRun, type ImportResult } from './local/import.ts';
import { exportRun } from './local/mirror.ts';
import { refreshDeepDive } from './local/deep-dive.ts';
import { readSet, readTasks, runLoop, type LoopOptions, type LoopResult } from './local/loop.ts';
import { promoteLearnings, readHandoff, viewMemory, type MemoryView } from './local/memory.ts';
import { assignmentFor, createOrder, type AssignmentOptions } from './local/order.ts';
import { loadDefinition, type Definition } from './local/load-definition.ts';
import { endCall, mirroredPorts, viewRun } from './local/view-run.ts';
import { diffRun, readPart, type AttemptChoice } from './local/parts.ts';
import { reasonOf } from './local/prepare-run.ts';
import { reportRun } from './local/report.ts';
import { planFolder, runFolder, type RunOptions, type RunOutcome } from './local/run-folder.ts';
import { planSet, runSet, viewSet, type SetOptions, type SetOutcome } from './local/set.ts';
import { withStandIns } from './local/system-files.ts';
import { exportSkill } from './local/uasp.ts';
import type { UnitKey } from './pipeline/pipeline.ts';
import type { SetSubject } from './pipeline/set.ts';
import type { SubjectPlan, SubjectView } from './report/set.ts';
import type { Part, PartValue, RunView } from './report/view.ts';
import type { EntityChange } from './run/entity/change.ts';
import type { Names } from './run/entity/instances.ts';
import type { EndedEntry } from './run/entry.ts';
import type { EngineEvent, UnitPlan } from './run/events.ts';
import type { Task } from './run/tasks.ts';
import type { Learning } from './engine/memory.ts';

export type { RunOptions, RunOutcome };

/** What a {@link Gateline} works on. */
export interface GatelineOptions extends AssignmentOptions {
  /** Default: the working directory. */
  readonly folder?: string;
  /** The definition. Default: gateline.yml in the folder or above it. */
  readonly file?: string;
  /** Default: the variables of this process. */
  readonly environment?: Environment;
  /** @param subject whose run it is, in a set */
  readonly observe?: (event: EngineEvent, subject?: string) => void;
}

/** A pipeline in a folder: every verb of the command line, returning plain data. */
export class Gateline {
  readonly definition: Definition;
  readonly assignment: Assignment;
  readonly #environment: Environment;
  readonly #observe: (event: EngineEvent, subject?: string) => void;

  private constructor(definition: Definition, assignment: Assignment, options: GatelineOptions) {
    this.definition = definition;
    this.assignment = assignment;
    this.#environment = options.environment ?? currentEnvironment();
    this.#observe = options.observe ?? (() => undefined);
  }

  /** Reads the definition. @throws DefinitionError with every problem of the file */
  static async open(options: GatelineOptions = {}): Promise<Gateline> {
    const definition = await loadDefinition(options.folder ?? process.cwd(), options.file);
    const branch = await findBranch(definition.root, options.environment ?? currentEnvironment());
    return new Gateline(definition, assignmentFor(definition.pipeline, options, branch), options);
  }

  /**
   * Writes the workflow of the pipeline.
   * @param output its path. Default: `.github/workflows/<pipeline>.yml` of the repository
   * @param isCheck only compares
   */
  compile(output?: string, isCheck = false): Promise<CompiledWorkflow> {
    return compileWorkflow(this.definition, this.#environment, output, isCheck);
  }

  /** What {@link run} would do with each gate, and why. */
  plan(options: RunOptions = {}): Promise<readonly UnitPlan[]> {
    return this.#use('beside', async (folder, order) =>
      planFolder(folder, order, options, await this.#preparer(options, order)),
    );
  }

  /** Runs the pipeline, or continues its run. */
  run(options: RunOptions = {}): Promise<RunOutcome> {
    return this.#use('engine', async (folder, order) =>
      runFolder(folder, order, options, await this.#preparer(options, order)),
    );
  }

  /** Continues a run that a person paused or rolled back. */
  async resume(options: RunOptions = {}): Promise<RunOutcome> {
    const { status, paused } = await this.view();
    // A run that waits for an approval is paused without a person's decision to pause it.
    if (paused && (status === 'paused' || status === 'rollback'))
      await this.#decideNow('resume', { ...options.by, reason: options.by?.reason ?? 'gateline resume' });
    return this.run(options);
  }

  /** Begins an attempt of an agent that works by itself. */
  begin(unit: UnitKey): Promise<BeginResult> {
    return this.#use('engine', async (folder, order) => {
      const result = await beginAttempt(mirroredPorts(folder, order), await withStandIns(folder, order), unit);
      await endCall(folder, order, true);
      return result;
    });
  }

  /** Ends the attempt that {@link begin} began. @param token or its unit @param exitCode of the agent */
  complete(token: string, exitCode = 0): Promise<{ readonly ended: EndedEntry; readonly view: RunView }> {
    return this.#use('engine', async (folder, order) => {
      const ended = await completeAttempt(folder.ports, await withStandIns(folder, order), token, exitCode);
      return { ended, view: await endCall(folder, order, true) };
    });
  }

  /** How a run stands. @param run default: the newest */
  view(run?: number): Promise<RunView> {
    return this.#use('read', (folder, order) => viewRun(folder, order, run));
  }

  /** One part of what a unit left: its output, its request, its log. */
  part(unit: UnitKey, part: Part, choice: AttemptChoice = {}): Promise<PartValue> {
    return this.#use('read', (folder, order) => readPart(folder, order, { unit, part, ...choice }));
  }

  /** A run as one page of HTML, with what its gates left. @param run default: the newest */
  report(run?: number): Promise<{ readonly html: string }> {
    return this.#use('read', async (folder, order) => ({ html: await reportRun(folder, order, run) }));
  }

  /** What the gates of the newest run changed, as a unified diff. @param unit only this one */
  diff(unit?: UnitKey): Promise<string> {
    return this.#use('beside', (folder, order) => diffRun(folder, order, unit));
  }

  /** Brings the files of an isolated run into the folder. */
  apply(isDry = false): Promise<ApplyResult> {
    return this.#use('engine', (folder, order) => applyClone(folder, order, isDry));
  }

  /** Takes back what gates after `to` did, and pauses the run. @param to a gate, or `all` */
  rollback(to: string, by: Partial<Decider> = {}, isDry = false): Promise<Rollback> {
    return this.#use('engine', async (folder, order) => {
      const decider = await this.#decider(by, order, 'gateline rollback');
      const rollback = await rollBack(folder.ports, order, { to, isDry }, decider);
      if (!isDry) await endCall(folder, order, true);
      return rollback;
    });
  }

  /** Approves, rejects, skips or forces a unit; pauses, resumes or closes the run. Beside a running engine too. */
  async decide(decision: DecisionName, by: Partial<Decider>, unit?: UnitKey): Promise<RunView> {
    const givesUp = decision === 'close' || decision === 'reject';
    if (givesUp && (await this.#use('read', (folder, order) => hasClaims(folder.ports, order, unit)))) {
      await this.#use('engine', async (folder, order) =>
        giveUpAttempts(folder.ports, order, await this.#decider(by, order), unit),
      );
      if (decision === 'reject') return this.view();
    }
    return this.#decideNow(decision, by, unit);
  }

  /** Says that outputs hold for the folder as it is now. @returns their units */
  keep(units: readonly UnitKey[] = [], by: Partial<Decider> = {}): Promise<readonly UnitKey[]> {
    return this.#use('engine', async (folder, order) =>
      keepOutputs(folder.ports, order, units, await this.#decider(by, order, 'gateline keep')),
    );
  }

  /** Supplies the output of a unit for today's request. Beside a running engine too. */
  adopt(unit: UnitKey, value: JsonValue, by: Partial<Decider>): Promise<RunView> {
    return this.#use('read', async (folder, order) => {
      await adoptOutput(folder.ports, order, { unit, value }, await this.#decider(by, order));
      return viewRun(folder, order);
    });
  }

  /** One entry per run that ended, newest first. */
  history(filter?: HistoryFilter): Promise<History> {
    return this.#use('read', (folder, { redactor }) =>
      folder.readHistory({ ...filter, subject: filter?.subject && redactor.text(filter.subject) }),
    );
  }

  /** Runs a command of the definition. @throws InvalidStateError; GatelineError `busy` (ENTITY_BUSY) */
  do(command: string, options: CommandOptions = {}): Promise<CommandResult> {
    return this.#use('read', (folder, order) => runFolderCommand(folder, order, command, options));
  }

  /** What a command lacks, and the commands that would make it valid. */
  checkCommand(command: string, args: Names = {}): Promise<CommandCheck> {
    return this.#use('read', (folder, order) => checkCommand(folder.ports, order, { command, args }));
  }

  /** Entities as they are now. @param name only this one, or one of its instances */
  entities(name?: string): Promise<readonly EntityView[]> {
    return this.#use('read', (folder, order) => viewEntities(folder, order, name));
  }

  /** Says what an entity is, or one of its instances (`resource/resource_7`). */
  setEntity(name: string, to: EntityChange['to'], value?: JsonValue, by: Partial<Decider> = {}) {
    return this.#use('read', async (folder, order) =>
      setEntity(folder, order, { name, to, value }, await this.#decider(by, order, 'gateline entities set')),
    );
  }

  /** Notes what a command that ran elsewhere has created and invalidated. */
  applyCommand(command: string, result?: JsonValue, args: Names = {}, by: Partial<Decider> = {}) {
    return this.#use('read', async (folder, order) =>
      applyCommand(folder, order, { command, result, args }, await this.#decider(by, order, 'gateline entities apply')),
    );
  }

  /** As if entities had never existed. @param name default: all */
  resetEntities(name?: string, by: Partial<Decider> = {}): Promise<readonly EntityChange[]> {
    return this.#use('read', async (folder, order) =>
      resetEntities(folder, order, name, await this.#decider(by, order, 'gateline entities reset')),
    );
  }

  /** Removes old runs, and everything that only they needed. */
  clean(rules: CleanRules, isDry = false): Promise<CleanResult> {
    return this.#use('engine', (folder) => cleanFolder(folder, rules, isDry));
  }

  /** What is wrong with `.state/`. @param repair sets unreadable lines of the log aside */
  check(repair = false): Promise<readonly FolderProblem[]> {
    return repair ? this.#use('engine', repairFolder) : this.#use('read', checkFolder);
  }

  /** Takes over the outputs of another system's files: all or none. @param path default: the system's own folder */
  import(system: string, path?: string, by: Partial<Decider> = {}): Promise<ImportResult> {
    return this.#use('engine', async (folder, order) => {
      const decider = await this.#decider(by, order, `gateline import ${system}`);
      const result = await importRun(folder, order, { system, path }, decider);
      await endCall(folder, order, true);
      return result;
    });
  }

  /**
   * Writes a run as the files of another system.
   * @param target folder. Default: the system's own
   * @returns the paths, relative to the workspace
   */
  export(system: string, options: { target?: string; isDry?: boolean; run?: number } = {}): Promise<readonly string[]> {
    formatNamed(system);
    const access = options.isDry ? 'read' : 'engine';
    return this.#use(access, async (folder, order) =>
      exportRun(folder, order, await viewRun(folder, order, options.run), system, options),
    );
  }

  /** The documents for agents, and what agents learned that nobody promoted. */
  memory(): Promise<MemoryView> {
    return this.#use('read', viewMemory);
  }

  /** Adds what agents learned to `learned-patterns.md`, each once. @param gates only of these. Default: all */
  promoteLearnings(gates: readonly string[] = []): Promise<readonly Learning[]> {
    return this.#use('read', (folder, order) => promoteLearnings(folder, order, gates));
  }

  /** Makes `deep-dive.md` anew if it is stale. @param isForced also if it is not */
  refreshMemory(isForced = false, { by, ...options }: Pick<RunOptions, 'signal' | 'by'> = {}) {
    return this.#use('engine', async (folder, order) =>
      refreshDeepDive(folder, order, isForced, options, await this.#decider(by, order, 'gateline memory refresh')),
    );
  }

  /** What an agent that begins now is told of what was done before, as Markdown. */
  handoff(): Promise<string> {
    return this.#use('read', readHandoff);
  }

  /** Does the tasks of a set one after another, with a commit for each. @param file path of the set */
  async loop(file: string, options: LoopOptions = {}): Promise<LoopResult> {
    const set = await readSet(file);
    return this.#use('engine', (folder) => runLoop(folder, set, (...task) => this.#orderOf(...task), options));
  }

  /** The tasks of a set, with their status and retries. */
  async tasks(file: string): Promise<readonly Task[]> {
    const set = await readSet(file);
    return this.#use('read', (folder) => readTasks(folder, set));
  }

  /** Runs the pipeline for each subject of a set, in a clone each. @param file path of the set */
  async runSet(file: string, options: SetOptions = {}): Promise<SetOutcome> {
    const set = await readSet(file);
    return this.#use('engine', (folder) => runSet(folder, set, (...task) => this.#orderOf(...task), options));
  }

  /** What {@link runSet} would do with each subject, and why. */
  async planSet(file: string, only?: readonly string[]): Promise<readonly SubjectPlan[]> {
    const set = await readSet(file);
    return this.#use('beside', (folder) => planSet(folder, set, (...task) => this.#orderOf(...task), only));
  }

  /** How the subjects of a set stand. */
  async viewSet(file: string): Promise<readonly SubjectView[]> {
    const set = await readSet(file);
    return this.#use('read', (folder) => viewSet(folder, set, (...task) => this.#orderOf(...task)));
  }

  #orderOf({ id, metadata, input = this.assignment.input }: SetSubject, task = this.assignment.task): Order {
    const options = { subject: id, task, metadata: { ...this.assignment.metadata, ...metadata }, input };
    const assignment = assignmentFor(this.definition.pipeline, options, undefined);
    return createOrder(this.definition, assignment, this.#environment);
  }

  /** Writes the entities and commands as a skill of UASP, and their state. @param options as of {@link export} */
  exportSkill(options: { target?: string; isDry?: boolean } = {}): Promise<readonly string[]> {
    return this.#use(options.isDry ? 'read' : 'engine', (folder, order) => exportSkill(folder, order, options));
  }

  async #use<T>(access: FolderAccess, work: (folder: Folder, order: Order) => Promise<T>): Promise<T> {
    const { root, pipeline } = this.definition;
    const order = createOrder(this.definition, this.assignment, this.#environment);
    await using folder = await Folder.open({
      root,
      pipeline,
      access,
      environment: this.#environment,
      observe: this.#observe,
    });
    return await work(folder, order);
  }

  #decideNow(decision: DecisionName, by: Partial<Decider>, unit?: UnitKey): Promise<RunView> {
    return this.#use('read', async (folder, order) => {
      await decide(folder.ports, order, { decision, unit }, await this.#decider(by, order));
      return viewRun(folder, order);
    });
  }

  /** Who decides what the options of a run say; undefined: nothing is decided. */
  async #preparer(options: RunOptions, order: Order): Promise<Decider | undefined> {
    const { fresh, force, strategy } = options;
    return fresh || force || strategy ? this.#decider(options.by, order, reasonOf(options)) : undefined;
  }

  /** @param reason default; undefined: a reason must be given */
  async #decider(by: Partial<Decider> | undefined, { redactor }: Order, reason?: string): Promise<Decider> {
    const text = by?.reason ?? reason;
    if (text === undefined || text.trim() === '')
      throw new GatelineError('usage', 'a decision needs a reason', {
        hint: '--reason says why; it is shown wherever the decision is',
      });
    const actor = by?.actor ?? (await findActor(this.definition.root, this.#environment, reason !== undefined));
    if (text.length > 4_096 || actor.length > 255 || actor.trim() === '')
      throw new GatelineError('usage', 'a reason has at most 4,096 characters, and who decides 1 to 255');
    return { actor: redactor.text(actor), reason: redactor.text(text) };
  }
}
