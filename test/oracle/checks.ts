import type { Group } from '../../src/pipeline/pipeline.ts';
import type { FolderHistory } from './folder-history.ts';
import { isRemembered, type Attempt } from './truth/attempts.ts';
import { isSame, type Truth } from './truth/truth.ts';
import { owns, type Unit } from './truth/units.ts';
import type { TestFolder, Tree } from './world.ts';

/** (a) Why the output of an attempt must not be used for any of these states of the folder; undefined: it may. */
export function findProblem(truth: Truth, unit: Unit, attempt: Attempt, trees: readonly Tree[]): unknown[] | undefined {
  const { name, exports, states, note } = attempt;
  if (!isRemembered(attempt.result)) return ['an output that is none', name];
  if (attempt.unit.gate.run !== unit.gate.run) return ['an output for another definition', name];
  if (attempt.subject !== (truth.isSubjectGiven ? truth.subject : undefined))
    return ['an output for another subject', name];
  if (attempt.isRejected) return ['a rejected output', name];
  if (attempt.isDisturbed) return ['an output whose inputs changed while its agent worked', name];
  if (exports !== truth.exportsOf(unit)) return ['an output for other exports', name, exports, truth.exportsOf(unit)];
  const expected = truth.noteOf(unit);
  if (expected !== 'null' && note !== expected) return ['an output for other notes', name, note, expected];
  const paths = truth.pathsOf(unit);
  if (trees.some((tree) => states.some((state) => isSame(state, tree, paths)))) return undefined;
  return ['a stale output', name, paths.join(), trees.map(textOf), states.map(textOf)];
}

/**
 * (b) Why an agent may start although outputs answer its request; `needless`: no reason.
 * @param found outputs that the engine found, and did not use
 */
export function findReasons(truth: Truth, folder: TestFolder, attempt: Attempt, found: readonly Attempt[]): string[] {
  const { unit, start, exports, note, handedOn, subject } = attempt;
  const paths = [...truth.inputsOf(unit), ...handedOn];
  const same = truth.attempts.filter(
    (other) =>
      other !== attempt &&
      other.unit.key === unit.key &&
      other.unit.gate.run === unit.gate.run &&
      other.subject === subject &&
      (other.agent ? String(other.handedOn) === String(handedOn) : !truth.hasHandedOn(unit)),
  );
  const rejected = truth.attempts.filter((other) => other.unit.key === unit.key && other.isRejected);
  const isRejected = rejected.some(({ states }) => states.some((tree) => isSame(tree, start, paths)));
  const answers = same.filter(
    (other) =>
      other.isEnded &&
      !other.isDisturbed &&
      !other.isRejected &&
      isRemembered(other.result) &&
      other.exports === exports &&
      other.note === note &&
      isSame(other.start, start, paths),
  );
  const files = found.length > 0 ? truth.paths.filter((path) => owns(unit, path)) : [];
  const writers = files.map((path) => folder.writers.get(path));
  const { contract, onFail } = unit.gate;
  const targets = [...truth.units.values()].filter((target) => target.gate.id === onFail?.goto);
  const isUsedUp =
    (onFail !== undefined && (targets.length === 0 || truth.isSentBack(onFail.goto))) ||
    targets.some(({ key }) => truth.inUse.get(truth.own(key))?.name === 'not-applicable');
  const isFailure = (other: Attempt) =>
    !truth.isOpen(other) &&
    (other.result === 'sent-back' || (other.result === 'partial' && contract.partial === 'block'));
  return answers.map((other) => {
    // The newest output counts, which may be that of an earlier state.
    if (isUsedUp && [other, ...found].some(isFailure)) return 'its iterations are used';
    if (writers.includes('user')) return 'the user has a version of its files';
    if (writers.some((writer) => writer !== undefined)) return 'another gate has a version of its files';
    return isRejected ? 'an output for the same inputs was rejected' : 'needless';
  });
}

/** (d) Why a version must not be replaced by another one. @param using the output whose files are put */
export function findPutProblems(
  { attempts }: Truth,
  folder: TestFolder,
  history: FolderHistory,
  using: Attempt | undefined,
  [path, before, after]: readonly [path: string, before: string | null, after: string | null],
): string[] {
  const isStored = folder.listKept().some((tree) => (tree.get(path) ?? null) === before);
  const isUnseen = folder.writers.get(path) === 'user' && !history.hasSeen(path, before);
  const hasMade = ({ unit, isRejected, agent }: Attempt) =>
    unit.key === using?.unit.key && !isRejected && agent?.writes.get(path)?.[1] === after;
  const isTakenBack = using && history.takenBack.get(path) === after && !attempts.some(hasMade);
  return [
    ...(isStored ? [] : ['no ref keeps a version that is replaced']),
    ...(isUnseen ? ['a version of the user that no agent saw is replaced'] : []),
    ...(isTakenBack ? ['what was rolled back is put back'] : []),
  ];
}

/** (e) What must not work at the same time. @param busy other units that agents work on */
export function findConflicts({ gate }: Unit, busy: readonly Unit[], groups: readonly Group[]): string[] {
  const started = busy.filter((other) => other.gate.run !== undefined);
  const isHeld = busy.some(isEditorAlone) || started.some((other) => other.gate.files !== undefined);
  const isGrouped = groups.some(
    ({ gates }) => gates.includes(gate.id) && started.some((other) => gates.includes(other.gate.id)),
  );
  return [
    ...(isHeld ? ['work starts beside an editor'] : []),
    ...(gate.files !== undefined && started.length > 0 ? ['an editor starts beside other work'] : []),
    ...(isGrouped && gate.run !== undefined ? ['gates of a sequential group work side by side'] : []),
  ];
}

/** An editor that works by itself: nothing else may start. */
export function isEditorAlone({ gate }: Unit): boolean {
  return gate.run === undefined && gate.files !== undefined;
}

/** After a completed call: what an output in use made is in the folder, or what was made on top of it. */
export function findMissingFiles(
  { attempts }: Truth,
  folder: TestFolder,
  { name, agent, unit, files }: Attempt,
): unknown[][] {
  const others = attempts.filter((other) => other.name !== name);
  return [...(agent?.writes ?? [])].flatMap(([path, [before, after]]) => {
    const content = folder.read(path);
    const isTakenBack = content !== after && content === before && folder.writers.get(path) === 'user';
    const isMade = others.some((other) => other.agent?.writes.get(path)?.[1] === content);
    // What another gate made of the user's version is no file of this output any more.
    return owns(unit, path) && files.has(path) && isTakenBack && !isMade ? [[name, path, content, after]] : [];
  });
}

export function textOf(tree: Tree): string {
  return [...tree].map(([path, content]) => path + content).join(' ');
}

/** Something that went wrong, with what is needed to understand it. */
export interface Fault {
  readonly kind: string;
  readonly details: readonly unknown[];
}

/** Faults, and how often what happened. */
export class Findings {
  readonly faults: Fault[] = [];
  readonly counts = new Map<string, number>();

  tally(key: string): void {
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
  }

  fault(kind: string, ...details: readonly unknown[]): void {
    this.faults.push({ kind, details });
    this.tally(`FAULT ${kind}`);
  }
}
