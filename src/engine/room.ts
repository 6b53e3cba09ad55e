import type { Gate, UnitKey } from '../pipeline/pipeline.ts';
import type { Unit } from '../run/unit.ts';
import type { Call } from './call.ts';

/**
 * Whether there is room for another attempt beside those that run. Gates that may leave the same files run one after
 * the other, and one with `files: changed` alone: what each of them changed could not be told apart.
 */
export function hasRoom(
  { assignment, graph }: Pick<Call, 'assignment' | 'graph'>,
  { gate }: Unit,
  running: ReadonlyMap<UnitKey, unknown>,
): boolean {
  if (running.size >= assignment.pipeline.maxParallel) return false;
  let siblings = 0;
  for (const key of running.keys()) {
    const other = graph.get(key)!.gate;
    if (mayShareFiles(gate.files, other.files)) return false;
    if (other.id === gate.id) siblings += 1;
  }
  return siblings < (gate.legsMaxParallel ?? Infinity);
}

/** Whether two gates' `files` may name one path, by what their globs say before the first wildcard. */
function mayShareFiles(a: Gate['files'], b: Gate['files']): boolean {
  if (a === 'changed' || b === 'changed') return true;
  const folders = b.filter(includes).map(fixedPart);
  return a
    .filter(includes)
    .map(fixedPart)
    .some((one) => folders.some((other) => isAbove(one, other) || isAbove(other, one)));
}

function includes(glob: string): boolean {
  return !glob.startsWith('!');
}

/** The names that a glob begins with, up to the first that holds a wildcard. */
function fixedPart(glob: string): string[] {
  const names = glob.split('/').filter((name) => name !== '' && name !== '.');
  const wild = names.findIndex((name) => /[*?[\]{}()\\]/.test(name));
  return wild < 0 ? names : names.slice(0, wild);
}

function isAbove(folder: readonly string[], path: readonly string[]): boolean {
  return folder.every((name, index) => name === path[index]);
}
