import type { JsonValue } from '../../src/json/json.ts';
import { unitKey, type Gate, type Pipeline } from '../../src/pipeline/pipeline.ts';
import type { AttemptRef } from '../../src/run/entry.ts';
import type { Answer, SimulatedAgent } from './memory-agents.ts';
import type { Tree } from './memory-workspace.ts';

/** A gate, or one leg of it. */
export interface Unit {
  readonly key: string;
  readonly gate: Gate;
  /** Command and values of the leg. */
  readonly definition: string;
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
  /** States of the folder that the output holds for; `sure`: also if outputs of needs must be the ones in use. */
  readonly states: Tree[];
  readonly sure: Tree[];
  /** Files that it made, as other gates left them since. */
  readonly files: Map<string, string | null>;
  /** Fingerprint and digest that an approval names. */
  approvalKey?: string;
  isEnded?: boolean;
  /** An input changed while the agent worked, so the output must not be remembered. */
  isDisturbed?: boolean;
  isRejected?: boolean;
}

/** Attempts of one folder, and for which of its states their outputs hold. */
export class Truth {
  readonly attempts = new Map<string, Attempt>();
  /** Output in use of each unit, by `subject unit`. */
  readonly inUse = new Map<string, Attempt>();
  units = new Map<string, Unit>();
  readonly paths: readonly string[];

  constructor(paths: readonly string[]) {
    this.paths = paths;
  }

  /** Paths that an output of the unit must vouch for now: its inputs, and what its needs hand on. */
  pathsOf(unit: Unit, subject: string): string[] {
    const needed = [...this.units.values()].filter(({ gate }) => unit.ancestors.has(gate.id));
    const handedOn = needed.flatMap(({ key }) => [...(this.inUse.get(`${subject} ${key}`)?.files.keys() ?? [])]);
    return [...new Set([...(unit.gate.inputs ?? this.paths), ...handedOn])];
  }

  exportsOf(unit: Unit, subject: string): string {
    return JSON.stringify(unit.needs.map((key) => [key, this.inUse.get(`${subject} ${key}`)?.output ?? null]));
  }

  /** A unit really wrote files: what held before holds after, for units that do not need it, and for itself. */
  pass(by: Attempt, subject: string, before: Tree, writes: Iterable<readonly [string, string | null]>): void {
    const after = new Map(before);
    for (const [path, content] of writes)
      if (content === null) after.delete(path);
      else after.set(path, content);
    if (isSame(before, after, this.paths)) return;
    for (const other of this.attempts.values()) {
      const unit = this.units.get(other.unit.key);
      if (other !== by && (unit?.definition !== other.unit.definition || unit.key === by.unit.key)) continue;
      if (other.unit.ancestors.has(by.unit.gate.id) || other.subject !== by.subject) continue;
      const paths = this.pathsOf(other.unit, subject);
      if (!isRemembered(other.result) && other !== by) continue;
      if (!other.states.some((state) => isSame(state, before, paths))) continue;
      addState(other.states, after, this.paths);
      if (other === by || other.exports === this.exportsOf(unit!, subject)) addState(other.sure, after, this.paths);
    }
  }

  /** A file was written by a unit: it hands on what another one made of its file, unless somebody else was in between. */
  follow(unit: string, path: string, before: string | null, after: string | null): void {
    for (const { unit: other, files } of this.attempts.values())
      if (other.key === unit || !files.has(path)) continue;
      else if (files.get(path) === before) files.set(path, after);
      else files.delete(path);
  }
}

export function unitsOf({ gates }: Pipeline): Unit[] {
  const ancestors = new Map<string, Set<string>>();
  const keys = new Map<string, string[]>();
  return gates.flatMap((gate) => {
    const legs = gate.matrix && 'legs' in gate.matrix ? gate.matrix.legs : [{ id: '', matrix: {} }];
    ancestors.set(gate.id, new Set(gate.needs.flatMap((need) => [need, ...ancestors.get(need)!])));
    keys.set(
      gate.id,
      legs.map(({ id }) => unitKey(gate.id, id)),
    );
    const needs = gate.needs.flatMap((need) => keys.get(need)!);
    const definition = JSON.stringify(gate.run);
    return legs.map(({ id }) => {
      return { key: unitKey(gate.id, id), gate, definition, needs, ancestors: ancestors.get(gate.id)! };
    });
  });
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

function addState(states: Tree[], tree: Tree, paths: readonly string[]): void {
  if (!states.some((state) => isSame(state, tree, paths))) states.push(tree);
}
