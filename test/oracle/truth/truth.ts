import type { JsonValue } from '../../../src/json/json.ts';
import type { Checkpoint } from '../../../src/run/checkpoint.ts';
import type { Pipeline } from '../../../src/pipeline/pipeline.ts';
import type { DecidedEntry, EndedEntry } from '../../../src/run/entry.ts';
import { noteText } from '../memory-agents.ts';
import type { Tree } from '../world.ts';
import { approvalKeyOf, isRemembered, judge, nameOf, type Attempt } from './attempts.ts';
import { unitsOf, type Unit } from './units.ts';

/** What reviews asked a gate for, in a run; which attempts did, and which units have answered. */
interface Note {
  readonly run: number;
  readonly text: string;
  readonly causes: readonly string[];
  readonly answered: Set<string>;
}

/** What is true of one folder: attempts, for which states of the folder their outputs hold, and decisions. */
export class Truth {
  readonly paths: readonly string[];
  /** An output that a person kept for another state is there twice, under one name. */
  readonly attempts: Attempt[] = [];
  units: ReadonlyMap<string, Unit> = new Map();
  #pipeline: Pipeline | undefined;
  subject = '';
  isSubjectGiven = false;
  /** By `subject unit`: outputs in use, decisions that wait for a turn. */
  readonly inUse = new Map<string, Attempt>();
  readonly forced = new Set<string>();
  readonly pending = new Set<string>();
  /** By `subject gate`: notes that must be answered. */
  readonly notes = new Map<string, Note>();
  /** By `subject gate`: the run in which its work was sent back last. */
  readonly #sentBack = new Map<string, number>();
  /** By subject: its newest run that is over. */
  readonly #over = new Map<string, number>();
  /** By `subject fingerprint output`. */
  readonly approved = new Set<string>();

  constructor(paths: readonly string[]) {
    this.paths = paths;
  }

  /** Whose turn comes next. */
  setPipeline(pipeline: Pipeline, subject: string, isSubjectGiven: boolean): void {
    Object.assign(this, { subject, isSubjectGiven });
    this.#pipeline = pipeline;
    this.#setUnits();
  }

  #setUnits(): void {
    const legsIn = (attempt?: Attempt) => (attempt?.output as { legs?: readonly string[] } | null | undefined)?.legs;
    this.units = unitsOf(this.#pipeline!, (gate) => legsIn(this.inUse.get(this.own(gate))) ?? []);
  }

  /** Legs that come from data are those that the output in use asks for. */
  use(key: string, attempt: Attempt): void {
    this.inUse.set(this.own(key), attempt);
    this.#setUnits();
  }

  own(key: string): string {
    return `${this.subject} ${key}`;
  }

  named(name: string): Attempt[] {
    return this.attempts.filter((attempt) => attempt.name === name);
  }

  add(attempt: Omit<Attempt, 'files' | 'handedOn' | 'states' | 'subject'>): Attempt {
    const handedOn = Object.keys(attempt.agent?.request.handedOn ?? {}).sort();
    const subject = this.isSubjectGiven ? this.subject : undefined;
    const added = { ...attempt, subject, handedOn, files: new Map(), states: [attempt.start] };
    this.attempts.push(added);
    return added;
  }

  /** A number is given again if a call is killed before it logs what a person supplied. */
  attemptsOf(checkpoint: Checkpoint): Attempt[] {
    const attempts = this.named(nameOf(checkpoint.attempt));
    return attempts.filter(({ approvalKey }) => approvalKey === approvalKeyOf(checkpoint));
  }

  /** What a unit has without an agent: a person supplied or skipped it, or its condition is false. */
  supply(unit: Unit, name: string, output: JsonValue, trees: readonly Tree[]): Attempt {
    const result = output === null ? 'skipped' : judge(unit, { output });
    const request = { exports: this.exportsOf(unit), note: this.noteOf(unit), start: trees.at(-1)! };
    const attempt = this.add({ name, unit, ...request, output, result });
    attempt.states.push(...trees);
    return attempt;
  }

  /** A person says that an output holds for a state of the folder, and for the outputs that hold for it, by unit. */
  keep(name: string, held: ReadonlyMap<string, JsonValue | undefined>, start: Tree): void {
    const attempt = this.named(name).at(-1);
    // Another subject may have no list yet that names a leg.
    const unit = this.units.get(attempt!.unit.key) ?? attempt!.unit;
    const legsOf = (gate: string) => [...held.keys()].filter((key) => key.startsWith(`${gate}/`));
    const needs = unit.gate.needs.flatMap((gate) => (legsOf(gate).length > 0 ? legsOf(gate) : [gate]));
    const exports = JSON.stringify(needs.map((key) => [key, held.get(key) ?? null]));
    const { result, output, approvalKey } = attempt!;
    this.add({ name, unit, start, exports, note: 'null', result, output, approvalKey, isEnded: true });
  }

  inputsOf({ gate }: Unit): readonly string[] {
    return gate.inputs ?? this.paths;
  }

  /** Paths that an output of the unit must vouch for now: its inputs, and what its needs hand on. */
  pathsOf(unit: Unit): string[] {
    const needed = [...this.units.values()].filter(({ gate }) => unit.ancestors.has(gate.id));
    const handedOn = needed.flatMap(({ key }) => [...(this.inUse.get(this.own(key))?.files.keys() ?? [])]);
    return [...new Set([...this.inputsOf(unit), ...handedOn])];
  }

  /** Whether its needs may hand on files: which ones is only known if an agent got the request. */
  hasHandedOn({ ancestors }: Unit): boolean {
    return [...this.units.values()].some(({ gate }) => ancestors.has(gate.id) && gate.files !== undefined);
  }

  exportsOf({ needs }: Unit): string {
    return JSON.stringify(needs.map((key) => [key, this.inUse.get(this.own(key))?.output ?? null]));
  }

  noteOf({ key, gate }: Unit): string {
    const note = this.notes.get(this.own(gate.id));
    return note && !note.answered.has(key) && this.#isOpenRun(note.run) ? note.text : 'null';
  }

  #isOpenRun(run: number): boolean {
    return run > (this.#over.get(this.subject) ?? 0);
  }

  /** Whether work of a gate was sent back in the present run. */
  isSentBack(gate: string): boolean {
    return this.#isOpenRun(this.#sentBack.get(this.own(gate)) ?? 0);
  }

  /** Whether later gates may use an output. */
  isOpen({ unit: { gate }, result, approvalKey = '' }: Attempt): boolean {
    if (result === 'skipped' || this.approved.has(this.own(approvalKey))) return true;
    if (result === 'passed') return gate.approval === undefined;
    return result === 'partial' && gate.contract.partial === 'continue';
  }

  /** Applies what a person or the engine decided. @returns the units that must be done again */
  decide(entry: DecidedEntry): readonly string[] {
    const { subject } = entry;
    const own = 'unit' in entry ? `${subject} ${entry.unit}` : '';
    switch (entry.decision) {
      case 'force':
        this.forced.add(own);
        this.pending.delete(own);
        break;
      case 'skip':
      case 'adopt':
        this.pending.add(own);
        break;
      case 'approve':
        this.approved.add(`${subject} ${entry.fingerprint} ${entry.output}`);
        break;
      case 'reject':
        this.approved.delete(`${subject} ${entry.fingerprint} ${entry.output}`);
        for (const attempt of this.named(nameOf(entry.attempt))) attempt.isRejected = true;
        break;
      case 'rework':
        return this.#sendBack(entry);
      case 'complete':
      case 'close':
        this.#over.set(subject, entry.run);
        break;
      case 'rollback':
        // The run is open again. What its reviews asked for is void if they are taken back.
        this.#over.set(subject, entry.run - 1);
        for (const attempt of entry.attempts) this.#takeBack(nameOf(attempt));
        break;
      case 'keep':
      case 'pause':
      case 'resume':
        break;
    }
    return [];
  }

  #takeBack(name: string): void {
    for (const attempt of this.named(name)) attempt.isRejected = true;
    for (const [gate, { causes }] of this.notes) if (causes.includes(name)) this.notes.delete(gate);
  }

  #sendBack({ subject, run, gate, causes }: Extract<DecidedEntry, { decision: 'rework' }>): string[] {
    const outputs = causes.map(({ unit, attempt }): [string, JsonValue] => [
      unit,
      this.named(nameOf(attempt))[0]!.output,
    ]);
    this.#sentBack.set(`${subject} ${gate}`, run);
    // Also those that have no legs at the moment.
    const gates = new Set([gate]);
    for (const { id, needs } of this.#pipeline!.gates) if (needs.some((need) => gates.has(need))) gates.add(id);
    for (const id of gates) this.notes.delete(this.own(id));
    this.notes.set(`${subject} ${gate}`, {
      run,
      text: noteText(outputs),
      causes: causes.map(({ attempt }) => nameOf(attempt)),
      answered: new Set(),
    });
    return [...this.units.values()].filter((unit) => gates.has(unit.gate.id)).map(({ key }) => key);
  }

  /** An entry says how a unit ended: decisions and notes that this answers are void. */
  answer({ subject, unit, how, verdict }: EndedEntry): void {
    const own = `${subject} ${unit}`;
    if (how === 'lost' || verdict.status === 'failed') return;
    this.notes.get(`${subject} ${unit.split('/')[0]}`)?.answered.add(unit);
    if (how !== 'used') this.forced.delete(own);
    if (how !== 'used' && how !== 'ran') this.pending.delete(own);
  }

  /** A unit really wrote files: what held before holds after, for units that do not need it, and for itself. */
  pass(by: Attempt, before: Tree, writes: ReadonlyMap<string, string | null>): void {
    const after = new Map(before);
    for (const [path, content] of writes)
      if (content === null) after.delete(path);
      else after.set(path, content);
    if (isSame(before, after, this.paths)) return;
    for (const other of this.attempts) {
      const holds = this.#isHeld(other, by, before);
      if (holds && !other.states.some((state) => isSame(state, after, this.paths))) other.states.push(after);
      if (other === by) continue;
      // It hands on what others made of its files, unless somebody else may have been in between.
      for (const [path, content] of other.files)
        if (!writes.has(path) || writes.get(path) === content) continue;
        else if (holds && content === (before.get(path) ?? null)) other.files.set(path, writes.get(path)!);
        else other.files.delete(path);
    }
  }

  #isHeld(other: Attempt, by: Attempt, before: Tree): boolean {
    const unit = this.units.get(other.unit.key);
    if (unit === undefined || other.subject !== by.subject || unit.gate.run !== other.unit.gate.run) return false;
    if (other !== by && (!isRemembered(other.result) || unit.key === by.unit.key)) return false;
    if (unit.ancestors.has(by.unit.gate.id)) return false;
    const paths = this.pathsOf(unit);
    return other.states.some((state) => isSame(state, before, paths));
  }
}

export function isSame(a: Tree, b: Tree, paths: readonly string[]): boolean {
  return paths.every((path) => a.get(path) === b.get(path));
}
