import { GatelineError } from '../errors/gateline-error.ts';
import type { UnitKey } from '../pipeline/pipeline.ts';
import { filesLeft } from '../run/files/files.ts';
import type { FileChange } from '../run/records/record.ts';
import type { TreeFile } from '../run/files/tree.ts';
import { ancestorsOf, type UnitGraph } from '../run/records/unit.ts';
import type { PutResult } from '../workspace/workspace.ts';
import type { Call } from './call/call.ts';
import { copierOf } from './call/content.ts';
import { unitsNamed } from '../run/records/named-units.ts';

/** Which files of a run are written into the user's folder. */
export interface ApplyOptions {
  /** Ids of the gates whose files to write. Default: every gate that is done. */
  readonly gates?: readonly string[];
  /** Absolute path of a folder: replaced files are copied there, or next to it if it exists. */
  readonly saved: string;
  /** Report what would be done, and change nothing. */
  readonly dryRun?: boolean;
}

/** The result of {@link applyFiles}. */
export interface Applied extends PutResult {
  /** Done gates whose files were applied. */
  readonly gates: readonly UnitKey[];
  /** Requested gates that are not done: none of their files are applied. */
  readonly open: readonly UnitKey[];
}

/**
 * Writes the files that gates of a run hand on into the user's folder. A path is written only if it is still as a gate
 * found or left it. Repeating the call completes an interrupted one.
 * @throws GatelineError `GATE_UNKNOWN`, `FILES_CONFLICT`, `CLAIM_IN_PLACE`, `CONTENT_MISSING`, `APPLY_FAILED`
 */
export async function applyFiles(call: Call, options: ApplyOptions): Promise<Applied> {
  const { workspace } = call.ports;
  const { files, steps, gates, open } = handedOn(call, options.gates);
  if (files.length === 0) return { puts: [], gates, open };
  const { tree } = await call.snapshot();
  const wanted = files.map(({ path, after }) => ({ path, after, over: statesOf(steps.get(path)!) }));
  const { saved, dryRun = false } = options;
  const put = await workspace.put(wanted, tree, { saved, dryRun, copy: copierOf(call) });
  call.forgetSnapshot();
  return { ...put, gates, open };
}

/**
 * The workspace version that a run started with, and the same version with the files that its gates hand on.
 * @throws GatelineError `FILES_CONFLICT`, `CONTENT_MISSING`, and git's errors if the version is no longer stored
 */
export async function versionsOf(call: Call): Promise<{ readonly from: string; readonly to: string }> {
  const { runNumber } = call.journal.state();
  const claims = [...call.journal.archive().started.values()].flat();
  // By time within one call: its gates in place make a new version each, and their attempts have the same numbers.
  const [first] = claims
    .filter((claim) => claim.runNumber === runNumber && claim.base !== undefined)
    .toSorted((a, b) => a.runAttempt - b.runAttempt || Date.parse(a.at) - Date.parse(b.at));
  const base = first?.base ?? (await call.snapshot()).tree;
  const { files } = handedOn(call, undefined);
  return { from: base, to: await call.ports.workspace.build(base, files, copierOf(call)) };
}

interface Wanted extends Pick<ReturnType<typeof filesLeft>, 'files' | 'steps'>, Pick<Applied, 'gates' | 'open'> {}

function handedOn({ graph, journal }: Call, gates: readonly string[] | undefined): Wanted {
  const asked = new Set(gates && unitsNamed(graph, gates).map(({ key }) => key));
  const wanted = gates === undefined ? [...graph.keys()] : [...graph.keys()].filter((key) => asked.has(key));
  const state = journal.state();
  const { files, conflicts } = filesLeft(graph, state, wanted);
  if (conflicts.length > 0) {
    const list = conflicts.map(({ path, gates: by }) => `${path} (${by.join(' and ')})`).join(', ');
    const message = `gates that do not need each other changed the same path differently: ${list}`;
    throw new GatelineError('FILES_CONFLICT', message, {
      hint: 'Name one of them: `gateline diff GATE`, `gateline apply --gate GATE`.',
    });
  }
  const units = wanted.map((key) => state.units.get(key)!);
  return {
    files,
    // A gate's file includes the changes of the gates before it.
    steps: filesLeft(graph, state, withAncestors(graph, wanted)).steps,
    gates: units.filter(({ done, ended }) => done && ended !== undefined).map(({ key }) => key),
    open: units.filter(({ done, key }) => !done && asked.has(key)).map(({ key }) => key),
  };
}

/** In the graph's order. */
function withAncestors(graph: UnitGraph, keys: readonly UnitKey[]): UnitKey[] {
  const all = new Set(keys.flatMap((key) => [key, ...ancestorsOf(graph, key)]));
  return [...graph.keys()].filter((key) => all.has(key));
}

/** States that may be replaced: every state that a gate found or left before the last one. */
function statesOf(steps: readonly FileChange[]): (TreeFile | null)[] {
  return steps.flatMap(({ before, after }) => [before, after]);
}
