import type { JsonValue } from '../../src/json/json.ts';
import { unitKey, type Gate, type Pipeline } from '../../src/pipeline/pipeline.ts';
import type { Checkpoint } from '../../src/run/checkpoint.ts';
import type { AttemptRef, DecidedEntry, EndedEntry } from '../../src/run/entry.ts';
import { noteText, type Answer, type SimulatedAgent } from './memory-agents.ts';
import type { Tree } from './world.ts';

/** A gate, or one leg of it. */
export interface Unit {
  readonly key: string;
  readonly gate: Gate;
  /** Units that it needs directly, and gates that it needs at all. */
  readonly needs: readonly string[];
  readonly ancestors: ReadonlySet<string>;
}

/** `sent-back`: failed its check, and is remembered because its gate sends work back. */
export type Result = 'none' | 'failed' | 'sent-back' | 'partial' | 'passed' | 'skipped';

/** An attempt as it really was: what its agent was given, read, wrote and answered. */
export interface Attempt {
  readonly name: string;
  readonly unit: Unit;
  /** Only a subject that somebody gave. */
  readonly subject: string | undefined;
  readonly start: Tree;
  /** Outputs of its needs, and of reviews, as JSON. */
  readonly exports: string;
  readonly note: string;
  /** Files of its needs that its request named. */
  readonly handedOn: readonly string[];
  readonly agent?: SimulatedAgent;
  result: Result;
  output: JsonValue;
  /** States of the folder that the output holds for. */
  readonly states: Tree[];
  /** Files that it made, as other gates left them since. */
  readonly files: Map<string, string | null>;
  approvalKey?: string;
  isEnded?: boolean;
  /** An input changed while the agent worked, so the output must not be remembered. */
  isDisturbed?: boolean;
  isRejected?: boolean;
}

/** What is true of one folder: attempts, for which states of the folder their outputs hold, and decisions. */
export class Truth {
  readonly paths: readonly string[];
  /** An output that a person kept for another state is there twice, under one name. */
  readonly attempts: Attempt[] = [];
  units = new Map<string, Unit>();
  subject = '';
  isSubjectGiven = false;
  /** By `subject unit`: outputs in use, notes that must be answered as JSON, decisions that wait for a turn. */
  readonly inUse = new Map<string, Attempt>();
  readonly notes = new Map<string, string>();
  readonly forced = new Set<string>();
  readonly pending = new Set<string>();
  /** Gates whose work was sent back in the present run, as `subject gate`. */
  readonly sentBack = new Set<string>();
  readonly approved = new Set<string>();

  constructor(paths: readonly string[]) {
    this.paths = paths;
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

  noteOf({ key }: Unit): string {
    return this.notes.get(this.own(key)) ?? 'null';
  }

  /** Whether later gates may use an output. */
  isOpen({ unit: { gate }, result, approvalKey = '' }: Attempt): boolean {
    if (result === 'skipped' || this.approved.has(approvalKey)) return true;
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
        this.approved.add(`${entry.fingerprint} ${entry.output}`);
        break;
      case 'reject':
        this.approved.delete(`${entry.fingerprint} ${entry.output}`);
        for (const attempt of this.named(nameOf(entry.attempt))) attempt.isRejected = true;
        break;
      case 'rework':
        return this.#sendBack(entry);
      case 'complete':
      case 'close':
        for (const map of [this.notes, this.sentBack])
          for (const name of map.keys()) if (name.startsWith(`${subject} `)) map.delete(name);
        break;
      case 'keep':
      case 'pause':
      case 'resume':
      case 'rollback':
        break;
    }
    return [];
  }

  #sendBack({ subject, gate, causes }: Extract<DecidedEntry, { decision: 'rework' }>): string[] {
    const outputs = causes.map(({ unit, attempt }): [string, JsonValue] => [
      unit,
      this.named(nameOf(attempt))[0]!.output,
    ]);
    this.sentBack.add(`${subject} ${gate}`);
    const after = [...this.units.values()].filter(({ ancestors }) => ancestors.has(gate));
    for (const { key } of after) this.notes.delete(this.own(key));
    const targets = [...this.units.values()].filter((unit) => unit.gate.id === gate);
    for (const { key } of targets) this.notes.set(this.own(key), noteText(outputs));
    return [...after, ...targets].map(({ key }) => key);
  }

  /** An entry says how a unit ended: decisions and notes that this answers are void. */
  answer({ subject, unit, how, verdict }: EndedEntry): void {
    const own = `${subject} ${unit}`;
    if (how === 'lost' || verdict.status === 'failed') return;
    this.notes.delete(own);
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

export function unitsOf({ gates }: Pipeline): Map<string, Unit> {
  const ancestors = new Map<string, Set<string>>();
  const keys = new Map<string, string[]>();
  const units = new Map<string, Unit>();
  for (const gate of gates) {
    const legs = gate.matrix && 'legs' in gate.matrix ? gate.matrix.legs : [{ id: '' }];
    ancestors.set(gate.id, new Set(gate.needs.flatMap((need) => [need, ...ancestors.get(need)!])));
    keys.set(
      gate.id,
      [...legs].map(({ id }) => unitKey(gate.id, id)),
    );
    const needs = gate.needs.flatMap((need) => keys.get(need)!);
    for (const key of keys.get(gate.id)!) units.set(key, { key, gate, needs, ancestors: ancestors.get(gate.id)! });
  }
  return units;
}

export function owns({ gate: { files } }: Unit, path: string): boolean {
  return files === 'changed' || (files ?? []).includes(path);
}

export function isSame(a: Tree, b: Tree, paths: readonly string[]): boolean {
  return paths.every((path) => a.get(path) === b.get(path));
}

export function isRemembered(result: Result): boolean {
  return result !== 'none' && result !== 'failed';
}

export function nameOf({ subject, run, unit, n }: AttemptRef): string {
  return `${subject} ${run} ${unit} ${n}`;
}

/** What the contract makes of an answer: `score` and `output.ok` are all that contracts of the simulation name. */
export function judge({ gate: { contract, onFail } }: Unit, { exitCode = 0, output }: Answer): Result {
  if (exitCode !== 0 || output === undefined) return 'failed';
  const { ok, score } = output as { ok?: boolean; score?: number };
  if (contract.checks.length > 0 && !ok) return onFail ? 'sent-back' : 'failed';
  return contract.score !== undefined && score! < contract.threshold ? 'partial' : 'passed';
}

/** What an approval names. */
export function approvalKeyOf({ fingerprint, output }: Pick<Checkpoint, 'fingerprint' | 'output'>): string {
  return `${fingerprint} ${output?.digest}`;
}
