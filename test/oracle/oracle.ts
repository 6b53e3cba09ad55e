import type { Group, Pipeline } from '../../src/pipeline/pipeline.ts';
import type { Checkpoint } from '../../src/run/checkpoint.ts';
import type { EndedEntry, Entry, StartedEntry } from '../../src/run/entry.ts';
import type { UnitPlan } from '../../src/run/events.ts';
import type { FileChange } from '../../src/run/files.ts';
import {
  findConflicts,
  findMissingFiles,
  Findings,
  findProblem,
  findPutProblems,
  findReasons,
  textOf,
} from './checks.ts';
import type { Crew, SimulatedAgent } from './memory-agents.ts';
import { FolderHistory } from './folder-history.ts';
import { approvalKeyOf, isRemembered, nameOf, settle, type Attempt } from './truth/attempts.ts';
import { Truth } from './truth/truth.ts';
import { owns, type Unit } from './truth/units.ts';
import { isByPerson } from './watched-ports.ts';
import type { TestFolder, Tree } from './world.ts';

/**
 * Compares what the engine does with what is true. Faults: (a) an output is used that does not hold, (b) an agent runs
 * without need, (d) a version is replaced that only the user has, or files of an output are not there, (e) work starts
 * before its needs are done, beside an editor, or with other outputs or notes than those that count.
 */
export class Oracle extends Findings {
  readonly truth: Truth;
  /** Units that agents work on, or worked on when their call was killed. */
  readonly busy = new Map<string, Unit>();
  readonly history = new FolderHistory();
  readonly #crew: Crew;
  #groups: readonly Group[] = [];
  /** Units of this call that have an output, and the one that is about to start. */
  readonly #done = new Set<string>();
  #starting: readonly Unit[] = [];
  /** Since the last decision of the engine: outputs that it looked up, states of the folder that it saw. */
  #finds: Checkpoint[] = [];
  #trees: Tree[] = [];
  #using: Attempt | undefined;
  /** By unit, outputs that its last turn found. */
  readonly #found = new Map<string, readonly Attempt[]>();
  #isBegin = false;
  /** How many decisions people made; how many of them the engine had read when it planned. */
  #decisions = 0;
  #readDecisions = 0;
  /** By unit, how many the engine had read when it planned it. */
  readonly #plannedReads = new Map<string, number>();
  /** By attempt, which decision rejected it; which one closed a run or approved an output last. */
  readonly #rejections = new Map<string, number>();
  #lastOpening = 0;
  /** By unit, notes of reviews that the engine has read, and those that it read for a plan. */
  readonly #readNotes = new Map<string, string>();
  readonly #plannedNotes = new Map<string, string | undefined>();

  constructor(paths: readonly string[], crew: Crew) {
    super();
    this.truth = new Truth(paths);
    this.#crew = crew;
    crew.onOver = (agent) => this.#onOver(agent);
    crew.onWrite = (agent, path, before, after) => {
      this.history.see(path, after);
      this.history.takenBack.delete(path);
      const attempt = this.truth.attempts.find((each) => each.agent === agent);
      if (agent.folder === crew.world.folder) this.history.add(path, before, after, attempt?.name.split(' ')[0]);
    };
  }

  /** @param begun the unit that the call is to begin, planning without an event */
  beginCall(pipeline: Pipeline, subject: string, isSubjectGiven: boolean, begun?: string): void {
    this.truth.setPipeline(pipeline, subject, isSubjectGiven);
    this.#groups = pipeline.groups.filter(({ mode }) => mode === 'sequential');
    this.#done.clear();
    this.#plannedNotes.clear();
    this.#plannedReads.clear();
    this.#using = undefined;
    this.#isBegin = begun !== undefined;
    this.#starting = [...this.truth.units.values()].filter(({ key }) => key === begun);
    this.#finds = [];
    this.#trees = [];
  }

  /** Where the present call works. */
  get #folder(): TestFolder {
    return this.#crew.world.place;
  }

  /** Whether a path of the user's folder may belong to an agent that is about to start, works, or was killed. */
  isBusy(path: string): boolean {
    const { folder, place } = this.#crew.world;
    return folder === place && [...this.busy.values(), ...this.#starting].some((unit) => owns(unit, path));
  }

  onSnapshot(tree: Tree): void {
    this.#trees.push(tree);
  }

  onRead(decisions: number): void {
    this.#readDecisions = decisions;
    for (const [key, unit] of this.truth.units) this.#readNotes.set(key, this.truth.noteOf(unit));
  }

  onFind(checkpoint: Checkpoint): void {
    this.#finds.push(checkpoint);
  }

  /** What a person supplied or skipped holds from here on, also if the call is killed before it logs that. */
  onSave(checkpoint: Checkpoint): void {
    const { attempt, how, output } = checkpoint;
    const name = nameOf(attempt);
    const approvalKey = approvalKeyOf(checkpoint);
    if (how === 'ran') this.truth.named(name).find(({ agent }) => agent)!.approvalKey ??= approvalKey;
    if (how === 'ran' || this.truth.named(name).some((known) => known.approvalKey === approvalKey)) return;
    const value = output ? this.#crew.world.state.valueOf(output.digest) : null;
    const supplied = this.truth.supply(this.truth.units.get(attempt.unit)!, name, value, this.#trees);
    Object.assign(supplied, { approvalKey, isEnded: true });
  }

  onPlanned({ unit: key, choice }: UnitPlan): void {
    const { truth } = this;
    const unit = truth.units.get(key)!;
    const finds = this.#finds.filter(({ attempt }) => attempt.unit === key);
    const trees = this.#trees;
    this.#finds = [];
    this.#trees = trees.slice(-1);
    this.#using = undefined;
    this.#found.set(
      key,
      finds.flatMap((find) => this.truth.attemptsOf(find)),
    );
    if (!this.#isBegin) this.#starting = choice === 'run' ? [unit] : [];
    // Conditions of the simulation ask for a score of 100 of the first need.
    const isApplicable = unit.gate.if === undefined || truth.inUse.get(truth.own(unit.needs[0]!))?.result !== 'partial';
    if (isApplicable === (choice === 'not-applicable')) this.fault('e: a condition is not heeded', key, choice);
    if (choice === 'not-applicable') this.#use(key, this.truth.supply(unit, 'not-applicable', null, trees));
    // What a person decides after the engine read the log is for the next turn of a unit.
    const isUnread = this.#decisions > this.#readDecisions;
    this.#plannedNotes.set(key, this.#readNotes.get(key));
    this.#plannedReads.set(key, this.#readDecisions);
    const rejected = unit.needs.filter((need) => truth.inUse.get(truth.own(need))?.isRejected);
    if (!isUnread && rejected.length > 0) this.fault('e: work starts with a rejected output', key, ...rejected);
    if (choice !== 'use' || (truth.pending.has(truth.own(key)) && !isUnread)) return;
    this.tally('used');
    this.#checkNeeds(unit, this.#readDecisions);
    if (truth.forced.has(truth.own(key)) && !isUnread) this.fault('a: used although forced', key);
    // A turn beside the end of another agent may have looked up more than one output for more than one state.
    const candidates = finds.reverse().flatMap((find) => this.truth.attemptsOf(find));
    const problems = candidates.map((attempt) => findProblem(truth, unit, attempt, trees));
    const attempt = candidates[Math.max(0, problems.indexOf(undefined))];
    if (!problems.includes(undefined) && !isUnread)
      this.fault(`a: ${problems[0]?.[0] ?? 'no output'}`, key, ...(problems[0] ?? []));
    if (attempt) this.#use(key, attempt);
    this.#using = attempt;
  }

  onEntry(entry: Entry): void {
    this.history.enterRun(entry.subject, entry.run);
    if (isByPerson(entry)) this.#decisions += 1;
    if (entry.kind === 'decided') {
      if (entry.decision === 'reject') this.#rejections.set(nameOf(entry.attempt), this.#decisions);
      if (entry.decision === 'close' || entry.decision === 'approve') this.#lastOpening = this.#decisions;
      for (const key of this.truth.decide(entry)) this.#done.delete(key);
      if (entry.decision === 'keep') {
        const held = new Map(this.#finds.map((find) => [find.attempt.unit, this.truth.attemptsOf(find)[0]?.output]));
        this.truth.keep(nameOf(entry.attempt), held, this.#trees.at(-1)!);
      }
      if (entry.decision === 'rollback')
        for (const { path, before } of entry.changes) this.history.takenBack.set(path, this.#folder.contentOf(before));
    } else if (entry.kind === 'started') this.#onStarted(entry);
    else this.#onEnded(entry);
  }

  #onStarted(entry: StartedEntry): void {
    const { truth } = this;
    const unit = truth.units.get(entry.unit)!;
    const { key } = unit;
    const agent = this.#crew.agentIn(this.#crew.world.state.directoryOf(entry));
    const start = this.#folder.tree(entry.snapshot);
    this.tally('ran');
    // A retry is not planned: it follows a failed attempt, whatever output there is.
    const isRetry = !this.#isBegin && !this.#plannedReads.has(key);
    const read = this.#plannedReads.get(key) ?? this.#readDecisions;
    this.#plannedReads.delete(key);
    this.#checkNeeds(unit, read);
    const exports = JSON.stringify(unit.needs.map((need) => [need, agent.needs[need] ?? null]));
    const note = agent.note ?? 'null';
    if (exports !== truth.exportsOf(unit))
      this.fault('e: other exports than those in use', key, exports, truth.exportsOf(unit));
    if (note !== truth.noteOf(unit) && note !== this.#plannedNotes.get(key))
      this.fault('e: other notes than those of the review', key, note, truth.noteOf(unit));
    const finds = this.#finds.filter(({ attempt }) => attempt.unit === key);
    if (!entry.process)
      this.#found.set(
        key,
        finds.flatMap((find) => this.truth.attemptsOf(find)),
      );
    const others = [...this.busy.values()].filter((other) => other.key !== key);
    for (const conflict of findConflicts(unit, others, this.#groups))
      this.fault(`e: ${conflict}`, key, ...this.busy.keys());
    if (this.#crew.live.some((other) => !this.busy.has(other.unit)))
      this.fault('e: an agent of a killed call still works', key);
    const attempt = truth.add({ name: nameOf(entry), unit, start, exports, note, agent, result: 'none', output: null });
    const reasons = truth.forced.has(truth.own(key))
      ? []
      : findReasons(truth, this.#folder, attempt, this.#found.get(key) ?? []);
    // In a run that is closed meanwhile, no work was sent back; what is approved meanwhile had failed.
    if (reasons.includes('needless') && this.#lastOpening <= read && !isRetry)
      this.fault('b: an agent runs without need', attempt.name, textOf(start));
    else for (const reason of reasons) this.tally(`ran: ${reason}`);
    this.busy.set(key, unit);
    for (const path of truth.paths) this.history.see(path, start.get(path) ?? null);
  }

  #onEnded(entry: EndedEntry): void {
    const { truth } = this;
    const { unit: key, how } = entry;
    const attempts = truth.named(nameOf(entry));
    if (how === 'ran' || how === 'lost') this.busy.delete(key);
    if (how === 'lost') this.#finds = [];
    if (how === 'ran')
      this.#onRan(
        entry,
        attempts.find(({ agent }) => agent)!,
      );
    const supplied = attempts.find(({ approvalKey }) => approvalKey === approvalKeyOf(entry));
    if (supplied && how !== 'ran') this.#use(key, supplied);
    truth.answer(entry);
  }

  #onRan(entry: EndedEntry, attempt: Attempt): void {
    const { unit, start, handedOn, result } = attempt;
    const after = this.#folder.tree(entry.snapshot!);
    attempt.isEnded = true;
    attempt.approvalKey = approvalKeyOf(entry);
    attempt.isDisturbed = [...this.truth.inputsOf(unit), ...handedOn].some(
      (path) => !owns(unit, path) && start.get(path) !== after.get(path),
    );
    const status = result === 'sent-back' ? 'failed' : result;
    if (entry.verdict.status !== status) this.fault('e: another verdict', attempt.name, status, entry.verdict);
    if (isRemembered(result)) this.#use(unit.key, attempt);
  }

  /** The engine computes the folder with these changes: before it writes them, if it uses an output. */
  onApply(before: Tree, changes: readonly FileChange[]): void {
    const writes = new Map(changes.map(({ path, after }) => [path, this.#folder.contentOf(after)]));
    const find = this.#finds.at(-1);
    if (this.#isBegin && find) {
      const unit = this.truth.units.get(find.attempt.unit)!;
      const candidates = this.truth.attemptsOf(find);
      const holds = (attempt: Attempt) => findProblem(this.truth, unit, attempt, [before]) === undefined;
      this.#using = candidates.find(holds) ?? candidates[0];
    }
    if (this.#using) this.truth.pass(this.#using, before, writes);
  }

  onPut(path: string, before: string | null, after: string | null): void {
    if (this.#crew.world.place === this.#crew.world.folder) this.history.add(path, before, after, this.truth.subject);
    for (const problem of findPutProblems(this.truth, this.#folder, this.history, this.#using, [path, before, after]))
      this.fault(`d: ${problem}`, path, before, after, this.#using?.name);
  }

  /** An agent ended or was killed: what it really did. */
  #onOver(agent: SimulatedAgent): void {
    const attempt = this.truth.attempts.find((each) => each.agent === agent)!;
    this.truth.pass(attempt, attempt.start, settle(attempt, agent));
  }

  checkFiles(): void {
    const attempts = [...this.#done].map((key) => this.truth.inUse.get(this.truth.own(key))!);
    for (const details of attempts.flatMap((attempt) => findMissingFiles(this.truth, this.#folder, attempt)))
      this.fault('d: what a done gate made is not in the folder', ...details);
  }

  /** @param read how many decisions the engine had read: what is rejected later is noticed later */
  #checkNeeds(unit: Unit, read: number): void {
    for (const { key: need, gate } of this.truth.units.values()) {
      if (!unit.ancestors.has(gate.id)) continue;
      const attempt = this.#done.has(need) && this.truth.inUse.get(this.truth.own(need));
      const isOpen = attempt && !attempt.isRejected && this.truth.isOpen(attempt);
      if (!isOpen && (this.#rejections.get(attempt ? attempt.name : '') ?? 0) <= read)
        this.fault('e: work starts before its needs are done', unit.key, need);
    }
  }

  #use(key: string, attempt: Attempt): void {
    this.#done.add(key);
    this.truth.use(key, attempt);
  }
}
