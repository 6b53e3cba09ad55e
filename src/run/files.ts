import type { UnitKey } from '../pipeline/pipeline.ts';
import type { FileChange, GatelineRecord } from './record.ts';
import { unitOf } from './record.ts';
import type { RunState } from './run-state.ts';
import { sameFile } from './tree.ts';
import { ancestorsOf, type UnitGraph } from './unit.ts';

/** What a unit finds in its workspace from the gates upstream of it. */
export interface UpstreamFiles {
  /** One change a path, sorted by path: how the file must stand before the agent starts. */
  readonly files: readonly FileChange[];
  /** Paths that unrelated gates left differently: nobody can say which is meant. */
  readonly conflicts: readonly { readonly path: string; readonly gates: readonly [UnitKey, UnitKey] }[];
}

/** Files of all ancestors, later gates over earlier ones. */
export function upstreamFiles(graph: UnitGraph, state: RunState, key: UnitKey): UpstreamFiles {
  const winners = new Map<string, { change: FileChange; by: UnitKey }>();
  const conflicts: { path: string; gates: [UnitKey, UnitKey] }[] = [];
  const upstream = ancestorsOf(graph, key);
  const above = new Map(upstream.map((ancestor) => [ancestor, new Set(ancestorsOf(graph, ancestor))]));
  for (const ancestor of upstream) {
    for (const change of state.units.get(ancestor)?.ended?.files ?? []) {
      const earlier = winners.get(change.path);
      if (
        earlier !== undefined &&
        !above.get(ancestor)!.has(earlier.by) &&
        !sameFile(earlier.change.after, change.after)
      ) {
        conflicts.push({ path: change.path, gates: [earlier.by, ancestor] });
      }
      winners.set(change.path, { change, by: ancestor });
    }
  }
  const files = [...winners.values()].map(({ change }) => change);
  return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), conflicts };
}

/** Every change that a unit's ancestors made and that stands, handed on or not, in no particular order. */
export function upstreamChanges(graph: UnitGraph, state: RunState, key: UnitKey): FileChange[] {
  return ancestorsOf(graph, key).flatMap((ancestor) => {
    const ended = state.units.get(ancestor)?.ended;
    return ended === undefined ? [] : [...ended.files, ...ended.touched];
  });
}

/** Files that gates which are not upstream ever left behind, by whether this run or another one did it. */
export interface LeftBehind {
  readonly ofThisRun: FileChange[];
  readonly ofOtherRuns: FileChange[];
}

/**
 * Every file that gates which are not upstream of this one (itself included) ever left behind: for `unwind`.
 * Failed attempts count too: what stands in the workspace may come from any of them.
 */
export function leftByOthers(
  graph: UnitGraph,
  records: readonly GatelineRecord[],
  key: UnitKey,
  runNumber: number,
): LeftBehind {
  const upstream = new Set(ancestorsOf(graph, key));
  const ofThisRun = new Map<string, FileChange>();
  const ofOtherRuns = new Map<string, FileChange>();
  for (const record of records) {
    if (record.kind !== 'ended' || upstream.has(unitOf(record))) continue;
    const madeIn = record.how === 'reused' ? record.source?.runNumber : record.runNumber;
    const into = madeIn === runNumber ? ofThisRun : ofOtherRuns;
    for (const change of [...record.files, ...record.touched]) {
      if (!sameFile(change.before, change.after)) into.set(identityOf(change), change);
    }
  }
  return { ofThisRun: [...ofThisRun.values()], ofOtherRuns: [...ofOtherRuns.values()] };
}

function identityOf({ path, before, after }: FileChange): string {
  return [path, before?.blob, before?.mode, after?.blob, after?.mode].join('\0');
}
