import type { JsonValue } from '../../src/json/json.ts';
import type { Pipeline } from '../../src/pipeline/pipeline.ts';
import type { Checkpoint } from '../../src/run/checkpoint.ts';
import type { AttemptRef, DecidedEntry, EndedEntry, Entry, StartedEntry } from '../../src/run/entry.ts';
import type { UnitPlan } from '../../src/run/events.ts';
import type { FileChange } from '../../src/run/files.ts';
import type { Crew, SimulatedAgent } from './memory-agents.ts';
import { directoryOf, type MemoryState } from './memory-stores.ts';
import { contentOf, type MemoryFolder, type Tree } from './memory-workspace.ts';
import { isRemembered, isSame, judge, nameOf, owns, Truth, unitsOf, type Attempt, type Unit } from './truth.ts';

/** Something that went wrong, with what is needed to understand it. */
export interface Fault {
  readonly kind: string;
  readonly details: readonly unknown[];
}

/**
 * Compares what the engine does with what is true. Faults: (a) an output is used that does not hold, (b) an agent runs
 * although an output answers its request, (d) a version is replaced that only the user has, (e) work starts before its
 * needs are done, beside an editor, with other outputs or other notes than those that count.
 */
export class Oracle {
  readonly faults: Fault[] = [];
  readonly counts = new Map<string, number>();
  readonly truth: Truth;
  /** Units that agents work on, or worked on when their call was killed. */
  readonly busy = new Map<string, Unit>();
  readonly #folder: MemoryFolder;
  readonly #crew: Crew;
  readonly #state: MemoryState;
  #subject = '';
  #given: string | undefined;
  /** Units of this call that have an output. */
  readonly #done = new Set<string>();
  /** `path=content` that an agent found, and that one made. */
  readonly #seen = new Set<string>();
  readonly #made = new Set<string>();
  #finds: Checkpoint[] = [];
  #trees: Tree[] = [];
  #using: Attempt | undefined;
  #starting: readonly Unit[] = [];
  #hasOutput = false;
  /** By `subject unit`: notes that it must answer as JSON, decisions that wait for its turn; by target, rounds. */
  readonly #notes = new Map<string, string>();
  readonly #forced = new Set<string>();
  readonly #pending = new Map<string, DecidedEntry>();
  readonly #approved = new Set<string>();
  readonly #sentBack = new Set<string>();

  constructor(paths: readonly string[], folder: MemoryFolder, state: MemoryState, crew: Crew) {
    this.truth = new Truth(paths);
    this.#folder = folder;
    this.#state = state;
    this.#crew = crew;
    crew.onOver = (agent) => this.#onOver(agent);
    crew.onWrite = (unit, path, before, after) => {
      this.#made.add(`${path}=${after}`);
      this.truth.follow(unit, path, before, after);
    };
  }

  tally(key: string): void {
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
  }

  fault(kind: string, ...details: readonly unknown[]): void {
    this.faults.push({ kind, details });
    this.tally(`FAULT ${kind}`);
  }

  beginCall(pipeline: Pipeline, subject: string, isGiven: boolean): void {
    this.truth.units = new Map(unitsOf(pipeline).map((unit) => [unit.key, unit]));
    this.#subject = subject;
    this.#given = isGiven ? subject : undefined;
    this.#done.clear();
    this.#using = undefined;
    this.#starting = [];
    this.#trees = [];
  }

  /** Whether a path may belong to an agent that is about to start, works, or was killed. */
  isBusy(path: string): boolean {
    return [...this.busy.values(), ...this.#starting].some((unit) => owns(unit, path));
  }

  onSnapshot(tree: Tree): void {
    this.#trees.push(tree);
  }

  onFind(checkpoint: Checkpoint): void {
    this.#finds.push(checkpoint);
  }

  onPlanned({ unit: key, choice }: UnitPlan): void {
    const unit = this.truth.units.get(key)!;
    const finds = this.#finds.filter(({ attempt }) => attempt.unit === key);
    const trees = this.#trees;
    this.#finds = [];
    this.#trees = trees.slice(-1);
    this.#using = undefined;
    this.#hasOutput = finds.length > 0;
    this.#starting = choice === 'run' ? [unit] : [];
    if (choice === 'not-applicable') this.#use(key, this.#supply(unit, 'not-applicable', null, trees));
    if (choice !== 'use' || this.#pending.has(this.#own(key))) return;
    this.tally('used');
    this.#checkNeeds(unit);
    if (this.#forced.has(this.#own(key))) this.fault('a: used although forced', key);
    // A turn beside the end of another agent may have looked up more than one output for more than one state.
    const candidates = [...new Set(finds.map(({ attempt }) => nameOf(attempt)))].reverse();
    const attempts = candidates.map((name) => this.truth.attempts.get(name));
    const problems = attempts.map((attempt) => this.#problemOf(unit, attempt, trees));
    const attempt = attempts[Math.max(0, problems.indexOf(undefined))];
    if (!problems.includes(undefined)) this.fault(`a: ${problems[0]?.[0] ?? 'no output'}`, key, ...(problems[0] ?? []));
    if (attempt) this.#use(key, attempt);
    this.#using = attempt;
  }

  /** Why the output of an attempt must not be used for any of these states of the folder. */
  #problemOf(unit: Unit, attempt: Attempt | undefined, trees: readonly Tree[]): unknown[] | undefined {
    if (attempt === undefined || !isRemembered(attempt.result)) return ['an output that is none', attempt?.name];
    const { name, exports, states, note } = attempt;
    if (attempt.unit.definition !== unit.definition) return ['an output for another definition', name];
    if (attempt.subject !== this.#given) return ['an output for another subject', name];
    if (attempt.isRejected) return ['a rejected output', name];
    if (attempt.isDisturbed) return ['an output whose inputs changed while its agent worked', name];
    const expected = { exports: this.truth.exportsOf(unit, this.#subject), note: this.#notes.get(this.#own(unit.key)) };
    if (exports !== expected.exports) return ['an output for other exports', name, exports, expected];
    if (expected.note !== undefined && note !== expected.note)
      return ['an output for other notes', name, note, expected];
    const paths = this.truth.pathsOf(unit, this.#subject);
    if (trees.some((tree) => states.some((state) => isSame(state, tree, paths)))) return undefined;
    return ['a stale output', name, paths.join(), trees.map(textOf), states.map(textOf)];
  }

  onEntry(entry: Entry): void {
    if (entry.kind === 'decided') this.#onDecided(entry);
    else if (entry.kind === 'started') this.#onStarted(entry);
    else this.#onEnded(entry);
  }

  #onStarted(entry: StartedEntry): void {
    const unit = this.truth.units.get(entry.unit)!;
    const agent = this.#crew.agentIn(directoryOf(entry));
    const start = this.#treeOf(entry.snapshot);
    this.tally('ran');
    this.#checkNeeds(unit);
    const exports = JSON.stringify(unit.needs.map((need) => [need, agent.needs[need] ?? null]));
    const note = JSON.stringify(agent.notes);
    const expected = {
      exports: this.truth.exportsOf(unit, this.#subject),
      note: this.#notes.get(this.#own(unit.key)) ?? 'null',
    };
    if (exports !== expected.exports) this.fault('e: other exports than those in use', unit.key, exports, expected);
    if (note !== expected.note) this.fault('e: other notes than those of the review', unit.key, note, expected);
    const others = [...this.busy.values()];
    if (others.some(({ gate }) => gate.files !== undefined) || (unit.gate.files !== undefined && others.length > 0))
      this.fault('e: an editor does not work alone', unit.key, ...others.map(({ key }) => key));
    if (this.#crew.live.some((other) => !this.busy.has(other.unit)))
      this.fault('e: an agent of a killed call still works', unit.key);
    const attempt = this.#create(entry, unit, { start, exports, note, agent, result: 'none', output: null });
    if (!this.#forced.has(this.#own(unit.key))) this.#checkRun(attempt);
    this.busy.set(unit.key, unit);
    for (const path of this.truth.paths) this.#seen.add(`${path}=${start.get(path) ?? null}`);
  }

  /** (b) No agent runs for a request that an output answers. */
  #checkRun(attempt: Attempt): void {
    const { unit, start, exports, note, handedOn } = attempt;
    const paths = [...(unit.gate.inputs ?? this.truth.paths), ...handedOn];
    for (const other of this.truth.attempts.values()) {
      if (other === attempt || other.unit.key !== unit.key || other.unit.definition !== unit.definition) continue;
      if (!other.isEnded || other.isDisturbed || other.isRejected || !isRemembered(other.result)) continue;
      if (other.subject !== this.#given || other.exports !== exports) continue;
      if (String(other.handedOn) !== String(handedOn)) continue;
      const isIdentical = other.note === note && isSame(other.start, start, paths);
      const isHeld = note === 'null' && other.sure.some((tree) => isSame(tree, start, paths));
      if (!isIdentical && !isHeld) continue;
      const reason = this.#reasonToRun(attempt, other, paths);
      if (reason !== undefined) this.tally(`ran: ${reason}`);
      else if (!isIdentical) this.tally('ran: its output holds only by a chain of other states');
      else return this.fault('b: an agent runs without need', attempt.name, other.name, textOf(start));
    }
  }

  #reasonToRun({ unit, start }: Attempt, other: Attempt, paths: readonly string[]): string | undefined {
    if (other.result === 'sent-back' && this.#sentBack.has(this.#own(unit.gate.onFail!.goto)))
      return 'its rounds are used';
    if (this.#hasOutput) {
      const files = this.truth.paths.filter((path) => owns(unit, path));
      const writers = files.map((path) => this.#folder.writers.get(path));
      if (writers.includes('user')) return 'the user has a version of its files';
      if (writers.some((writer) => writer !== undefined)) return 'another gate has a version of its files';
    }
    const isRejected = [...this.truth.attempts.values()].some(
      (each) => each.unit.key === unit.key && each.isRejected && each.states.some((tree) => isSame(tree, start, paths)),
    );
    return isRejected ? 'an output for the same inputs was rejected' : undefined;
  }

  #onEnded(entry: EndedEntry): void {
    const { unit: key, how, verdict, output } = entry;
    const unit = this.truth.units.get(key);
    if (how === 'ran' || how === 'lost') this.busy.delete(key);
    if (how === 'ran') this.#onRan(entry, this.truth.attempts.get(nameOf(entry))!);
    if (unit && (how === 'skipped' || how === 'adopted')) {
      const attempt = this.#supply(unit, entry, output ? this.#valueOf(output.digest) : null, this.#trees);
      attempt.approvalKey = `${entry.fingerprint} ${output?.digest}`;
      attempt.isEnded = true;
      this.#use(key, attempt);
    }
    if (how === 'lost' || verdict.status === 'failed') return;
    for (const map of [this.#forced, this.#pending, this.#notes]) map.delete(`${entry.subject} ${key}`);
  }

  #onRan(entry: EndedEntry, attempt: Attempt): void {
    const { unit, start, handedOn, result } = attempt;
    const after = this.#treeOf(entry.snapshot!);
    attempt.isEnded = true;
    attempt.approvalKey = `${entry.fingerprint} ${entry.output?.digest}`;
    attempt.isDisturbed = [...(unit.gate.inputs ?? this.truth.paths), ...handedOn].some(
      (path) => !owns(unit, path) && start.get(path) !== after.get(path),
    );
    const status = result === 'sent-back' ? 'failed' : result;
    if (entry.verdict.status !== status) this.fault('e: another verdict', attempt.name, status, entry.verdict);
    if (isRemembered(result)) this.#use(unit.key, attempt);
  }

  #onDecided(entry: DecidedEntry): void {
    const own = 'unit' in entry ? `${entry.subject} ${entry.unit}` : '';
    if (entry.decision === 'force') this.#forced.add(own);
    if (entry.decision === 'force') this.#pending.delete(own);
    if (entry.decision === 'skip' || entry.decision === 'adopt') this.#pending.set(own, entry);
    if (entry.decision === 'approve') this.#approved.add(`${entry.fingerprint} ${entry.output}`);
    if (entry.decision === 'reject') {
      this.#approved.delete(`${entry.fingerprint} ${entry.output}`);
      this.truth.attempts.get(nameOf(entry.attempt))!.isRejected = true;
    }
    if (entry.decision === 'rework') {
      const outputs = entry.causes.map(({ unit, attempt }) => [unit, this.truth.attempts.get(nameOf(attempt))!.output]);
      this.#sentBack.add(`${entry.subject} ${entry.gate}`);
      for (const { key, gate, ancestors } of this.truth.units.values()) {
        if (gate.id === entry.gate) this.#notes.set(this.#own(key), JSON.stringify(Object.fromEntries(outputs)));
        else if (ancestors.has(entry.gate)) this.#notes.delete(this.#own(key));
        else continue;
        this.#done.delete(key);
      }
    }
    if (entry.decision !== 'complete' && entry.decision !== 'close') return;
    for (const map of [this.#notes, this.#sentBack])
      for (const name of map.keys()) if (name.startsWith(`${entry.subject} `)) map.delete(name);
  }

  /** The engine computes the folder with these changes: before it writes them, if it uses an output. */
  onApply(before: Tree, changes: readonly FileChange[]): void {
    const writes = changes.map(({ path, after }) => [path, contentOf(after)] as const);
    if (this.#using) this.truth.pass(this.#using, this.#subject, before, writes);
  }

  onPut(path: string, before: string | null, after: string | null): void {
    const isStored = [...this.#folder.refs.values()].some((tree) => (tree.get(path) ?? null) === before);
    if (!isStored) this.fault('d: no ref keeps a version that is replaced', path, before, after);
    const isKnown = this.#seen.has(`${path}=${before}`) || this.#made.has(`${path}=${before}`);
    if (this.#folder.writers.get(path) === 'user' && !isKnown)
      this.fault('d: a version of the user that no agent saw is replaced', path, before, after);
    if (this.#using) this.truth.follow(this.#using.unit.key, path, before, after);
  }

  /** An agent ended or was killed: what it really did. */
  #onOver(agent: SimulatedAgent): void {
    const attempt = [...this.truth.attempts.values()].find((each) => each.agent === agent)!;
    const { unit, start } = attempt;
    if (agent.answer)
      Object.assign(attempt, { result: judge(unit, agent.answer), output: agent.answer.output ?? null });
    for (const [path, [before, after]] of agent.writes)
      if (before !== after && owns(unit, path)) attempt.files.set(path, after);
    const writes = [...agent.writes].map(([path, [, after]]) => [path, after] as const);
    this.truth.pass(attempt, attempt.name.split(' ')[0]!, start, writes);
  }

  /** After a completed call: what an output in use made is in the folder, or what was made on top of it. */
  checkProduct(): void {
    for (const key of this.#done) {
      const { name, agent } = this.truth.inUse.get(this.#own(key))!;
      for (const [path, [before, after]] of agent?.writes ?? []) {
        const content = this.#folder.read(path);
        if (content === after || content !== before || this.#folder.writers.get(path) !== 'user') continue;
        const makers = [...this.truth.attempts.values()].filter((other) => other.name !== name);
        if (!makers.some((other) => other.agent?.writes.get(path)?.[1] === content))
          this.fault('d: what a done gate made is not in the folder', name, path, content, after);
      }
    }
  }

  #checkNeeds(unit: Unit): void {
    for (const need of unit.needs) {
      const attempt = this.#done.has(need) && this.truth.inUse.get(this.#own(need));
      if (!attempt || !this.#isOpen(attempt)) this.fault('e: work starts before its needs are done', unit.key, need);
    }
  }

  /** Whether later gates may use an output. */
  #isOpen({ unit: { gate }, result, approvalKey = '' }: Attempt): boolean {
    if (result === 'skipped' || this.#approved.has(approvalKey)) return true;
    return result === 'passed'
      ? gate.approval === undefined
      : result === 'partial' && gate.contract.partial === 'continue';
  }

  #use(key: string, attempt: Attempt): void {
    this.#done.add(key);
    this.truth.inUse.set(this.#own(key), attempt);
  }

  #own(key: string): string {
    return `${this.#subject} ${key}`;
  }

  #create(
    ref: AttemptRef | string,
    unit: Unit,
    attempt: Pick<Attempt, 'agent' | 'exports' | 'note' | 'output' | 'result' | 'start'>,
  ): Attempt {
    const name = typeof ref === 'string' ? ref : nameOf(ref);
    const handedOn = Object.keys(attempt.agent?.request.handedOn ?? {}).sort();
    const states = { states: [attempt.start], sure: [attempt.start] };
    const created = { ...attempt, ...states, name, unit, subject: this.#given, handedOn, files: new Map() };
    this.truth.attempts.set(name, created);
    return created;
  }

  /** What a unit has without an agent: a person supplied or skipped it, or its condition is false. */
  #supply(unit: Unit, ref: AttemptRef | string, output: JsonValue, trees: readonly Tree[]): Attempt {
    const result = output === null ? 'skipped' : judge(unit, { output });
    const exports = this.truth.exportsOf(unit, this.#subject);
    const note = this.#notes.get(this.#own(unit.key)) ?? 'null';
    const attempt = this.#create(ref, unit, { start: trees.at(-1) ?? new Map(), exports, note, output, result });
    attempt.states.push(...trees);
    return attempt;
  }

  #treeOf(snapshot: string): Tree {
    return this.#folder.tree(snapshot.split('+', 1)[0]!);
  }

  #valueOf(digest: `sha256:${string}`): JsonValue {
    return JSON.parse(new TextDecoder().decode(this.#state.contents.get(digest))) as JsonValue;
  }
}

function textOf(tree: Tree): string {
  return [...tree].map(([path, content]) => path + content).join(' ');
}
