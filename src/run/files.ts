import type { UnitKey } from '../pipeline/pipeline.ts';
import {
  comparePositions,
  unitOf,
  type EndedRecord,
  type FileChange,
  type GatelineRecord,
  type Position,
} from './record.ts';
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

/** Files of all ancestors that are done, later gates over earlier ones. */
export function upstreamFiles(graph: UnitGraph, state: RunState, key: UnitKey): UpstreamFiles {
  const left = new Map<string, Left[]>();
  for (const by of ancestorsOf(graph, key)) {
    const unit = state.units.get(by);
    for (const change of (unit?.done ? unit.ended?.files : undefined) ?? []) {
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
  return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), conflicts };
}

interface Left {
  readonly change: FileChange;
  readonly by: UnitKey;
}

/** Changes of one path but for those by gates that another one of them comes after: that one found the file as they left it. */
function withoutOvertaken(graph: UnitGraph, all: readonly Left[]): Left[] {
  const overtaken = new Set(all.flatMap(({ by }) => ancestorsOf(graph, by)));
  return all.filter(({ by }) => !overtaken.has(by));
}

/** Every change of an attempt, handed on or not. */
export function changesOf({ files, touched }: Pick<EndedRecord, 'files' | 'touched'>): FileChange[] {
  return [...files, ...touched];
}

/**
 * Every change that a unit's ancestors ever made, handed on or not, in no particular order. Failed attempts count too:
 * what one of them left may still stand, and the one that came to something found it so.
 */
export function upstreamChanges(
  graph: UnitGraph,
  ended: ReadonlyMap<UnitKey, readonly EndedRecord[]>,
  key: UnitKey,
): FileChange[] {
  const records = ancestorsOf(graph, key).flatMap((ancestor) => ended.get(ancestor) ?? []);
  return records.flatMap(changesOf);
}

/** Files that gates which are not upstream ever left behind, by whether this run or another one did it; the latest first. */
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
  const ofThisRun = new Map<string, Dated>();
  const ofOtherRuns = new Map<string, Dated>();
  for (const record of records) {
    if (record.kind !== 'ended' || upstream.has(unitOf(record))) continue;
    const madeIn = record.how === 'reused' ? record.source?.runNumber : record.runNumber;
    const into = madeIn === runNumber ? ofThisRun : ofOtherRuns;
    for (const change of changesOf(record)) {
      if (sameFile(change.before, change.after)) continue;
      const identity = identityOf(change);
      const known = into.get(identity);
      if (known === undefined || comparePositions(record, known.at) > 0)
        into.set(identity, { identity, change, at: record });
    }
  }
  return { ofThisRun: latestFirst(ofThisRun), ofOtherRuns: latestFirst(ofOtherRuns) };
}

interface Dated {
  readonly identity: string;
  readonly change: FileChange;
  readonly at: Position;
}

function latestFirst(changes: ReadonlyMap<string, Dated>): FileChange[] {
  const sorted = [...changes.values()].sort(
    (a, b) => comparePositions(b.at, a.at) || (a.identity < b.identity ? -1 : 1),
  );
  return sorted.map(({ change }) => change);
}

function identityOf({ path, before, after }: FileChange): string {
  return [path, before?.blob, before?.mode, after?.blob, after?.mode].join('\0');
}
