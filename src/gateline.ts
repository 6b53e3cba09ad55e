import { beginAttempt, completeAttempt, type BeginResult } from './engine/attempt/begin.ts';
import {
  adoptOutput,
  decide,
  giveUpAttempts,
  hasBegunAttempts,
  keepOutputs,
  type DecisionName,
} from './engine/decide/decide.ts';
import type { Decider, Order } from './engine/ports.ts';
import { rollBack, type Rollback } from './engine/decide/rollback.ts';
import { currentEnvironment, type Environment } from './environment.ts';
import type { History, HistoryFilter } from './history/query.ts';
import type { JsonValue } from './json/json.ts';
import { compileWorkflow, type CompiledWorkflow } from './local/project/compile.ts';
import { findBranch } from './local/folder/git.ts';
import { checkFolder, repairFolder, type FolderProblem } from './local/folder/check.ts';
import { cleanFolder, type CleanResult, type CleanRules } from './local/folder/clean.ts';
import { applyClone, type ApplyResult } from './local/runs/isolated.ts';
import { formatNamed, importRun, type ImportResult } from './local/exchange/import.ts';
import { exportRun } from './local/exchange/mirror.ts';
import { mirroredPorts } from './local/exchange/mirrored-ports.ts';
import { endCall } from './local/runs/end-call.ts';
import { assignmentFor, type AssignmentOptions } from './local/runs/order.ts';
import { loadDefinition, type Definition } from './local/project/load-definition.ts';
import { viewRun } from './local/folder/view-run.ts';
import { diffRun, readPart, type AttemptChoice } from './local/parts.ts';
import { reasonOf } from './local/runs/prepare-run.ts';
import { reportRun } from './local/report.ts';
import { planFolder, runFolder, type RunOptions, type RunOutcome } from './local/runs/run-folder.ts';
import { withStandIns } from './local/exchange/system-files.ts';
import type { UnitKey } from './pipeline/pipeline.ts';
import type { Part, PartValue, RunView } from './report/view.ts';
import type { EndedEntry } from './run/entry.ts';
import type { EngineEvent, UnitPlan } from './run/events.ts';
import { Session } from './local/session.ts';
import { EntityVerbs } from './local/verbs/entities.ts';
import { MemoryVerbs } from './local/verbs/memory.ts';
import { SetVerbs } from './local/verbs/sets.ts';

export type { RunOptions, RunOutcome };

/** What a {@link Gateline} works on. */
export interface GatelineOptions extends AssignmentOptions {
  /** Default: the working directory. */
  readonly folder?: string;
  /** The definition. Default: gateline.yml in the folder or above it. */
  readonly file?: string;
  /** Default: the variables of this process. */
  readonly environment?: Environment;
  /** @param subject of the run, in a set */
  readonly observe?: (event: EngineEvent, subject?: string) => void;
}

/** A pipeline in a folder: every verb of the command line, returning plain data. */
export class Gateline {
  readonly entities: EntityVerbs;
  readonly memory: MemoryVerbs;
  readonly sets: SetVerbs;
  readonly #session: Session;

  private constructor(session: Session) {
    this.#session = session;
    this.entities = new EntityVerbs(session);
    this.memory = new MemoryVerbs(session);
    this.sets = new SetVerbs(session);
  }

  /** Reads the definition. @throws DefinitionError with every problem of the file */
  static async open(options: GatelineOptions = {}): Promise<Gateline> {
    const environment = options.environment ?? currentEnvironment();
    const definition = await loadDefinition(options.folder ?? process.cwd(), options.file);
    const branch = await findBranch(definition.root, environment);
    const assignment = assignmentFor(definition.pipeline, options, branch);
    return new Gateline(new Session(definition, assignment, environment, options.observe ?? (() => undefined)));
  }

  get definition(): Definition {
    return this.#session.definition;
  }

  /**
   * Writes the workflow of the pipeline.
   * @param output its path. Default: `.github/workflows/<pipeline>.yml` of the repository
   * @param isCheck only compare
   */
  compile(output?: string, isCheck = false): Promise<CompiledWorkflow> {
    return compileWorkflow(this.definition, this.#session.environment, output, isCheck);
  }

  /** What {@link run} would do with each gate, and why. */
  plan(options: RunOptions = {}): Promise<readonly UnitPlan[]> {
    return this.#session.use('beside', async (folder, order) =>
      planFolder(folder, order, options, await this.#deciderOf(options, order)),
    );
  }

  /** Runs the pipeline, or continues its run. */
  run(options: RunOptions = {}): Promise<RunOutcome> {
    return this.#session.use('engine', async (folder, order) =>
      runFolder(folder, order, options, await this.#deciderOf(options, order)),
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
    return this.#session.use('engine', async (folder, order) => {
      const result = await beginAttempt(mirroredPorts(folder, order), await withStandIns(folder, order), unit);
      await endCall(folder, order, true);
      return result;
    });
  }

  /** Ends the attempt that {@link begin} began. @param token or its unit @param exitCode of the agent */
  complete(token: string, exitCode = 0): Promise<{ readonly ended: EndedEntry; readonly view: RunView }> {
    return this.#session.use('engine', async (folder, order) => {
      const ended = await completeAttempt(folder.ports, await withStandIns(folder, order), token, exitCode);
      return { ended, view: await endCall(folder, order, true) };
    });
  }

  /** The view of a run. @param run default: the newest */
  view(run?: number): Promise<RunView> {
    return this.#session.use('read', (folder, order) => viewRun(folder, order, run));
  }

  /** One part of a unit: its output, its request, its log. */
  part(unit: UnitKey, part: Part, choice: AttemptChoice = {}): Promise<PartValue> {
    return this.#session.use('read', (folder, order) => readPart(folder, order, { unit, part, ...choice }));
  }

  /** A run as one page of HTML. @param run default: the newest */
  report(run?: number): Promise<{ readonly html: string }> {
    return this.#session.use('read', async (folder, order) => ({ html: await reportRun(folder, order, run) }));
  }

  /** What the gates of the newest run changed, as a unified diff. @param unit only this one */
  diff(unit?: UnitKey): Promise<string> {
    return this.#session.use('beside', (folder, order) => diffRun(folder, order, unit));
  }

  /** Brings the files of an isolated run into the folder. */
  apply(isDry = false): Promise<ApplyResult> {
    return this.#session.use('engine', (folder, order) => applyClone(folder, order, isDry));
  }

  /** Undoes the work of gates after `to`, and pauses the run. @param to a gate, or `all` */
  rollback(to: string, by: Partial<Decider> = {}, isDry = false): Promise<Rollback> {
    return this.#session.use('engine', async (folder, order) => {
      const decider = await this.#session.decider(by, order, 'gateline rollback');
      const rollback = await rollBack(folder.ports, order, { to, isDry }, decider);
      if (!isDry) await endCall(folder, order, true);
      return rollback;
    });
  }

  /** Approves, rejects, skips or forces a unit; pauses, resumes or closes the run. Works beside a running engine. */
  async decide(decision: DecisionName, by: Partial<Decider>, unit?: UnitKey): Promise<RunView> {
    const givesUp = decision === 'close' || decision === 'reject';
    if (givesUp && (await this.#session.use('read', (folder, order) => hasBegunAttempts(folder.ports, order, unit)))) {
      await this.#session.use('engine', async (folder, order) =>
        giveUpAttempts(folder.ports, order, await this.#session.decider(by, order), unit),
      );
      if (decision === 'reject') return this.view();
    }
    return this.#decideNow(decision, by, unit);
  }

  /** Records that outputs hold for the folder as it is now. @returns their units */
  keep(units: readonly UnitKey[] = [], by: Partial<Decider> = {}): Promise<readonly UnitKey[]> {
    return this.#session.use('engine', async (folder, order) =>
      keepOutputs(folder.ports, order, units, await this.#session.decider(by, order, 'gateline keep')),
    );
  }

  /** Supplies the output of a unit for its request of today. Works beside a running engine. */
  adopt(unit: UnitKey, value: JsonValue, by: Partial<Decider>): Promise<RunView> {
    return this.#session.use('read', async (folder, order) => {
      await adoptOutput(folder.ports, order, { unit, value }, await this.#session.decider(by, order));
      return viewRun(folder, order);
    });
  }

  /** One entry per run that ended, newest first. */
  history(filter?: HistoryFilter): Promise<History> {
    return this.#session.use('read', (folder, { redactor }) =>
      folder.readHistory({ ...filter, subject: filter?.subject && redactor.text(filter.subject) }),
    );
  }

  /** Removes old runs, and everything that only they needed. */
  clean(rules: CleanRules, isDry = false): Promise<CleanResult> {
    return this.#session.use('engine', (folder) => cleanFolder(folder, rules, isDry));
  }

  /** Finds what is damaged in `.state/`. @param repair removes unreadable lines of the logs, and keeps a copy */
  check(repair = false): Promise<readonly FolderProblem[]> {
    return repair ? this.#session.use('engine', repairFolder) : this.#session.use('read', checkFolder);
  }

  /** Imports the outputs of another system's files, all or none. @param path default: the system's own folder */
  import(system: string, path?: string, by: Partial<Decider> = {}): Promise<ImportResult> {
    return this.#session.use('engine', async (folder, order) => {
      const decider = await this.#session.decider(by, order, `gateline import ${system}`);
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
    return this.#session.use(access, async (folder, order) =>
      exportRun(folder, order, await viewRun(folder, order, options.run), system, options),
    );
  }

  #decideNow(decision: DecisionName, by: Partial<Decider>, unit?: UnitKey): Promise<RunView> {
    return this.#session.use('read', async (folder, order) => {
      await decide(folder.ports, order, { decision, unit }, await this.#session.decider(by, order));
      return viewRun(folder, order);
    });
  }

  /** Who makes the decisions that options of a run ask for; undefined: they ask for none. */
  async #deciderOf(options: RunOptions, order: Order): Promise<Decider | undefined> {
    const { fresh, force, strategy } = options;
    return fresh || force || strategy ? this.#session.decider(options.by, order, reasonOf(options)) : undefined;
  }
}
