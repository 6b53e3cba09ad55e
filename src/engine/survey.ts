import { GatelineError } from '../errors/gateline-error.ts';
import type { Gate, UnitKey } from '../pipeline/pipeline.ts';
import { leftByOthers, upstreamChanges, upstreamFiles } from '../run/files.ts';
import type { Findings } from '../run/request.ts';
import type { Content } from '../run/record.ts';
import { sameFile, unwind, type Tree } from '../run/tree.ts';
import type { Unit } from '../run/unit.ts';
import type { Call } from './call.ts';

/** What was found out, and what a person should know of it. */
export interface Surveyed extends Findings {
  /** Files that count as they were before a gate that is not upstream changed them; sorted. */
  readonly takenBack: readonly string[];
}

/**
 * Finds out what a unit would be given now: files, variables, tool versions, exports of its needs.
 * @throws GatelineError `INPUT_UNMATCHED`, `TOOL_MISSING`
 */
export async function survey(call: Call, unit: Unit): Promise<Surveyed> {
  const { gate } = unit;
  return {
    ...(await inputTree(call, unit)),
    env: countedVariables(call, gate),
    tools: await toolVersions(call, gate),
    needs: needsOf(call, unit),
  };
}

/** Files that count, as they were before gates that are not upstream touched them. */
async function inputTree(call: Call, unit: Unit): Promise<Pick<Surveyed, 'tree' | 'takenBack'>> {
  const { workspace } = call.ports;
  const { inputs } = unit.gate;
  if (inputs?.length === 0) return { tree: new Map(), takenBack: [] };
  const counts = (path: string): boolean => workspace.counts(inputs, path);
  const upstream = upstreamChanges(call.graph, call.journal.archive().ended, unit.key);
  const settled = withoutRunning((await workspace.inputs(inputs)).files, call, upstream, counts);
  const asBefore = await withoutOthers(settled, call, unit, upstream, counts);
  const tree = withUpstreamFiles(asBefore, call, unit, counts);
  const unmatched = (inputs ?? []).filter(
    (glob) => !glob.startsWith('!') && !tree.keys().some((path) => workspace.counts([glob], path)),
  );
  if (unmatched.length > 0) {
    throw new GatelineError(
      'user',
      'INPUT_UNMATCHED',
      `gate ${unit.gate.id}: inputs: no file matches ${unmatched.join(', ')}`,
      {
        hint: 'A glob that matches nothing would let changes go unnoticed. Correct it, or remove it.',
      },
    );
  }
  return { tree, takenBack: differing(settled, asBefore) };
}

function differing(a: Tree, b: Tree): string[] {
  const paths = new Set([...a.keys(), ...b.keys()]);
  return [...paths].filter((path) => !sameFile(a.get(path) ?? null, b.get(path) ?? null)).toSorted();
}

/** Files of gates upstream as they will stand when this one starts: whatever is there now is put right before. */
function withUpstreamFiles(tree: Tree, call: Call, unit: Unit, counts: (path: string) => boolean): Tree {
  const { files } = upstreamFiles(call.graph, call.journal.state(), unit.key);
  const result = new Map(tree);
  for (const { path, after } of files) {
    if (!counts(path)) continue;
    if (after === null) result.delete(path);
    else result.set(path, { blob: after.blob, mode: after.mode });
  }
  return result;
}

/** Takes back what attempts that are running at this moment changed so far: they are not upstream. */
function withoutRunning(
  tree: Tree,
  call: Call,
  upstream: ReturnType<typeof upstreamChanges>,
  counts: (path: string) => boolean,
): Tree {
  if (call.running.size === 0) return tree;
  const result = new Map(tree);
  for (const baseline of call.running.values()) {
    const before = new Map([...baseline.tree, ...baseline.named]);
    for (const path of new Set([...tree.keys(), ...before.keys()])) {
      if (!counts(path)) continue;
      const now = tree.get(path) ?? null;
      const then = before.get(path) ?? null;
      const given = upstream.some((change) => change.path === path && sameFile(change.after, now));
      if (given || sameFile(now, then)) continue;
      if (then === null) result.delete(path);
      else result.set(path, then);
    }
  }
  return result;
}

/**
 * Takes back what gates that are not upstream left behind. Changes of earlier runs are taken back no further than to
 * what is committed: from then on they are part of the project.
 */
async function withoutOthers(
  tree: Tree,
  call: Call,
  unit: Unit,
  upstream: ReturnType<typeof upstreamChanges>,
  counts: (path: string) => boolean,
): Promise<Tree> {
  const { journal, ports } = call;
  const { ofThisRun, ofOtherRuns } = leftByOthers(call.graph, journal.records(), unit.key, journal.call.runNumber);
  const asBefore = unwind(tree, ofThisRun, upstream, counts);
  if (ofOtherRuns.length === 0) return asBefore;
  const committed = await ports.workspace.committed([...new Set(ofOtherRuns.map((change) => change.path))]);
  return unwind(asBefore, ofOtherRuns, upstream, counts, committed);
}

function countedVariables(call: Call, gate: Gate): Record<string, string | null> {
  return Object.fromEntries(
    Object.entries(gate.env).map(([name, value]) => [name, value ?? call.ports.environment[name] ?? null]),
  );
}

async function toolVersions(call: Call, gate: Gate): Promise<Record<string, string>> {
  const versions = Object.entries(gate.tools).map(
    async ([name, command]) => [name, await call.ports.toolVersion(command)] as const,
  );
  return Object.fromEntries(await Promise.all(versions));
}

/** What each need exports. A need that the caller stands in for is left out. */
function needsOf(call: Call, unit: Unit): Record<UnitKey, Content | null> {
  const units = call.journal.state().units;
  const needs: Record<UnitKey, Content | null> = {};
  for (const key of unit.needs) {
    const exported = units.get(key)?.exports;
    if (exported !== undefined) needs[key] = exported;
  }
  return needs;
}
