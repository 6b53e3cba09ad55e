import type { UnitKey } from '../../pipeline/pipeline.ts';
import type { FileChange } from '../records/record.ts';
import type { RunState } from '../state/run-state.ts';
import { fileAndFolder, sameFile } from './tree.ts';
import { ancestorsOf, type NeedsGraph, type UnitGraph } from '../records/unit.ts';

/** The combined files that several gates hand on. */
export interface HandedOn {
  /** One change per path, sorted by path: the final state of each file. */
  readonly files: readonly FileChange[];
  /**
   * Paths that unrelated gates left differently, including a file and a folder at one path: the intended result is
   * unknown.
   */
  readonly conflicts: readonly { readonly path: string; readonly gates: readonly [UnitKey, UnitKey] }[];
  /** All changes that gates made to a path on the way, in graph order. */
  readonly steps: ReadonlyMap<string, readonly FileChange[]>;
}

/** Files that all ancestors of a unit hand on to it; later gates override earlier ones. */
export function upstreamFiles(graph: UnitGraph, state: RunState, key: UnitKey): HandedOn {
  return filesLeft(graph, state, ancestorsOf(graph, key));
}

/**
 * Files handed on by those of the given units that are done; later gates override earlier ones.
 * @param units in graph order
 */
export function filesLeft(graph: UnitGraph, state: RunState, units: Iterable<UnitKey>): HandedOn {
  const handed = [...units].map((by) => {
    const unit = state.units.get(by);
    return { by, files: (unit?.done ? unit.ended?.files : undefined) ?? [] };
  });
  return combined(graph, handed);
}

/**
 * Files that gates, or subjects of a set, hand on; later ones override those that they need.
 * @param handed in graph order
 */
export function combined(
  graph: NeedsGraph,
  handed: readonly { readonly by: string; readonly files: readonly FileChange[] }[],
): HandedOn {
  const left = new Map<string, Left[]>();
  for (const { by, files } of handed) {
    for (const change of files) {
      const others = left.get(change.path);
      if (others === undefined) left.set(change.path, [{ change, by }]);
      else others.push({ change, by });
    }
  }
  const files: FileChange[] = [];
  const conflicts: { path: string; gates: [UnitKey, UnitKey] }[] = [];
  for (const [path, all] of left) {
    const final = all.length === 1 ? all : withoutOvertaken(graph, all);
    const winner = final.at(-1)!;
    files.push(winner.change);
    const other = final.find(({ change }) => !sameFile(change.after, winner.change.after));
    if (other !== undefined) conflicts.push({ path, gates: [other.by, winner.by] });
  }
  const standing = files.filter(({ after }) => after !== null).map(({ path }) => path);
  for (const [file, below] of fileAndFolder(standing)) {
    conflicts.push({ path: `${file} and ${below}`, gates: [left.get(file)!.at(-1)!.by, left.get(below)!.at(-1)!.by] });
  }
  const steps = new Map([...left].map(([path, all]) => [path, all.map(({ change }) => change)]));
  return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), conflicts, steps };
}

interface Left {
  readonly change: FileChange;
  readonly by: UnitKey;
}

/**
 * Changes of one path, except those that a later gate among them has overridden: that gate found the file as they left
 * it.
 */
function withoutOvertaken(graph: NeedsGraph, all: readonly Left[]): Left[] {
  const overtaken = new Set(all.flatMap(({ by }) => ancestorsOf(graph, by)));
  return all.filter(({ by }) => !overtaken.has(by));
}
