import type { MemoryFolder, Tree } from './memory-workspace.ts';
import { isRemembered, isSame, owns, type Attempt, type Truth, type Unit } from './truth.ts';

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
 * (b) What an agent's start means: nothing new, a reason for which it may start although an output holds, or `needless`.
 * @param hasOutput the engine found an output, and did not use it
 */
export function findReasons(truth: Truth, folder: MemoryFolder, attempt: Attempt, hasOutput: boolean): string[] {
  const { unit, start, exports, note, handedOn } = attempt;
  const paths = [...truth.inputsOf(unit), ...handedOn];
  const reasons: string[] = [];
  for (const other of truth.attempts) {
    if (other === attempt || other.unit.key !== unit.key || other.unit.gate.run !== unit.gate.run) continue;
    if (!other.isEnded || other.isDisturbed || other.isRejected || !isRemembered(other.result)) continue;
    if (other.subject !== attempt.subject || other.exports !== exports) continue;
    if (other.agent ? String(other.handedOn) !== String(handedOn) : truth.hasHandedOn(unit)) continue;
    const isIdentical = other.note === note && isSame(other.start, start, paths);
    if (!isIdentical && !(note === 'null' && other.sure.some((tree) => isSame(tree, start, paths)))) continue;
    const reason = reasonFor(other);
    reasons.push(reason ?? (isIdentical ? 'needless' : 'its output holds only by a chain of other states'));
  }
  return reasons;

  function reasonFor(other: Attempt): string | undefined {
    if (other.result === 'sent-back' && truth.sentBack.has(truth.own(unit.gate.onFail!.goto)))
      return 'its rounds are used';
    const files = hasOutput ? truth.paths.filter((path) => owns(unit, path)) : [];
    const writers = files.map((path) => folder.writers.get(path));
    if (writers.includes('user')) return 'the user has a version of its files';
    if (writers.some((writer) => writer !== undefined)) return 'another gate has a version of its files';
    const rejected = truth.attempts.filter((each) => each.unit.key === unit.key && each.isRejected);
    const isRejected = rejected.some(({ states }) => states.some((tree) => isSame(tree, start, paths)));
    return isRejected ? 'an output for the same inputs was rejected' : undefined;
  }
}

/** After a completed call: what an output in use made is in the folder, or what was made on top of it. */
export function findMissingFiles(
  { attempts }: Truth,
  folder: MemoryFolder,
  { name, agent, unit }: Attempt,
): unknown[][] {
  const others = attempts.filter((other) => other.name !== name);
  return [...(agent?.writes ?? [])].flatMap(([path, [before, after]]) => {
    const content = folder.read(path);
    const isTakenBack = content !== after && content === before && folder.writers.get(path) === 'user';
    const isMade = others.some((other) => other.agent?.writes.get(path)?.[1] === content);
    return owns(unit, path) && isTakenBack && !isMade ? [[name, path, content, after]] : [];
  });
}

export function textOf(tree: Tree): string {
  return [...tree].map(([path, content]) => path + content).join(' ');
}
