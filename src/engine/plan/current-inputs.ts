import { GatelineError } from '../../errors/gateline-error.ts';
import type { Gate, UnitKey } from '../../pipeline/pipeline.ts';
import { upstreamFiles } from '../../run/files/files.ts';
import type { CurrentInputs, GivenNeed } from '../../run/plan/request.ts';
import type { FileChange, StartedRecord } from '../../run/records/record.ts';
import { itemGiven } from '../../run/records/leg-item.ts';
import { overlay, type Tree } from '../../run/files/tree.ts';
import type { Unit } from '../../run/records/unit.ts';
import { isHidden, MEMORY_FOLDER } from '../../memory/documents.ts';
import type { TreeId } from '../../workspace/workspace.ts';
import type { Call } from '../call/call.ts';
import { copierOf } from '../call/content.ts';
import { requiredEntities } from '../entities/gate-entities.ts';
import { standInsFor } from '../upstream/stand-ins.ts';
import { handoffFor } from './handoff.ts';
import { sentBackWork, type ReworkFiles, type SentBackWork } from './sent-back-work.ts';

const NO_FILES: ReworkFiles = { own: [], between: [] };

/** A unit's current inputs, and what of its work was sent back. */
export interface FoundInputs extends CurrentInputs {
  readonly rework: SentBackWork | undefined;
}

/**
 * Determines a unit's current inputs: files, variables, tool versions, exports of its needs.
 * @throws GatelineError `INPUT_UNMATCHED`, `FILES_CONFLICT`, `TOOL_MISSING`, those of {@link standInsFor}, and the
 *   workspace's errors
 */
export async function currentInputs(call: Call, unit: Unit): Promise<FoundInputs> {
  const { gate } = unit;
  // First, even if no file is an input: no agent can work on files that conflict.
  const files = startFiles(call, unit);
  return {
    rework: sentBackWork(call, unit),
    tree: await inputTree(call, unit, files),
    env: countedVariables(call, gate),
    tools: await toolVersions(call, gate),
    needs: await needsOf(call, unit),
    entities: await requiredEntities(call, unit),
    handoff: await handoffFor(call, unit),
  };
}

/**
 * Files that gates upstream hand on to a unit.
 * @throws GatelineError `FILES_CONFLICT`
 */
export function handedOnTo(call: Call, unit: Unit): readonly FileChange[] {
  const { files, conflicts } = upstreamFiles(call.graph, call.journal.state(), unit.key);
  if (conflicts.length === 0) return files;
  const list = conflicts.map(({ path, gates }) => `${path} (${gates.join(' and ')})`).join(', ');
  throw new GatelineError(
    'FILES_CONFLICT',
    `gate ${unit.key}: gates that do not need each other changed the same path differently: ${list}`,
    { hint: 'Let one gate need the other, or hand the file on from only one of them.' },
  );
}

/**
 * Files that a unit starts with, over the user's version: what gates upstream hand on and, if its work was sent back,
 * what its own attempt and the gates after it left.
 * @throws GatelineError `FILES_CONFLICT`
 */
export function startFiles(call: Call, unit: Unit): readonly FileChange[] {
  const handedOn = handedOnTo(call, unit);
  const { own, between } = sentBackWork(call, unit) ?? NO_FILES;
  if (own.length + between.length === 0) return handedOn;
  const byPath = new Map<string, FileChange>();
  for (const change of [...handedOn, ...own, ...between]) {
    const before = byPath.get(change.path) ?? change;
    byPath.set(change.path, { ...change, before: before.before });
  }
  return [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/**
 * The version that a unit works on: the user's, with the files that it starts with, without documents that it does not
 * name. In the user's own folder those stay where they are.
 */
export async function versionFor(
  call: Call,
  unit: Unit,
  user: TreeId,
  { files, place }: { readonly files: readonly FileChange[]; readonly place: StartedRecord['place'] },
): Promise<TreeId> {
  const { workspace } = call.ports;
  if (place === 'in-place' && call.holder !== 'job') return workspace.build(user, files, copierOf(call));
  const isShown = ({ path }: { readonly path: string }): boolean => !isHidden(path, unit.gate);
  const hidden = [...(await workspace.files(user)).keys()].filter((path) => isHidden(path, unit.gate));
  const without = hidden.map((path) => ({ path, after: null }));
  return workspace.build(user, [...files.filter(isShown), ...without], copierOf(call));
}

/** Of this glob it is no mistake that nothing matches: a file that comes later is seen. */
const EVERYTHING = '**';

/** Files that are part of the request: the user's version, overlaid with the files handed on by gates upstream. */
export async function inputTree(call: Call, unit: Unit, handedOn: readonly FileChange[]): Promise<Tree> {
  const { workspace } = call.ports;
  const { inputs, memory } = unit.gate;
  if (inputs?.length === 0 && memory.length === 0) return new Map();
  const { tree } = await call.snapshot();
  const laid = overlay(await workspace.files(tree), handedOn);
  const all = new Map([...laid].filter(([path]) => !isHidden(path, unit.gate)));
  if (inputs === undefined) return all;
  const isChosen = (path: string, mode: string): boolean =>
    path.startsWith(MEMORY_FOLDER) || workspace.matches(inputs, path, mode);
  const chosen = new Map([...all].filter(([path, { mode }]) => isChosen(path, mode)));
  const unmatched = inputs.filter(
    (glob) =>
      !glob.startsWith('!') &&
      glob !== EVERYTHING &&
      !chosen.entries().some(([path, { mode }]) => workspace.matches([glob], path, mode)),
  );
  if (unmatched.length === 0) return chosen;
  throw new GatelineError('INPUT_UNMATCHED', `gate ${unit.gate.id}: inputs: no file matches ${unmatched.join(', ')}`);
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

/** The exports of each need, or what takes its place. */
async function needsOf(call: Call, unit: Unit): Promise<Record<UnitKey, GivenNeed | null>> {
  const standIns = await standInsFor(call, unit);
  const units = call.journal.state().units;
  const needs: Record<UnitKey, GivenNeed | null> = {};
  for (const key of unit.needs) {
    const exported = units.get(key)?.exports;
    const given = exported === undefined ? standIns.get(key) : (itemGiven(unit, key) ?? exported);
    if (given !== undefined) needs[key] = given;
  }
  return needs;
}
