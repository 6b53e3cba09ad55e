import { GatelineError } from '../errors/gateline-error.ts';
import type { UnitKey } from '../pipeline/pipeline.ts';
import { filesLeft } from '../run/files.ts';
import type { FileChange } from '../run/record.ts';
import { sameFile, type Tree } from '../run/tree.ts';
import type { Put } from '../workspace/workspace.ts';
import type { Call } from './call.ts';
import { copierOf } from './content.ts';

/** What of a run is put into the user's folder. */
export interface ApplyOptions {
  /** Ids of the gates whose files are wanted. Default: every gate that is done. */
  readonly gates?: readonly string[];
  /** Absolute path of a folder, which does not exist yet: what is replaced is copied there. */
  readonly saved: string;
  /** Say what would be done, and do nothing. */
  readonly dryRun?: boolean;
}

/** What came of it. */
export interface Applied {
  readonly puts: readonly Put[];
  /** Done gates whose files these are. */
  readonly gates: readonly UnitKey[];
}

/**
 * Puts files that the gates of a run hand on into the user's folder: those paths that still are as a gate found or left
 * them. Doing it again completes what was cut short.
 * @throws GatelineError `GATE_UNKNOWN`, `FILES_CONFLICT`, `CLAIM_IN_PLACE`, `CONTENT_MISSING`
 */
export async function applyFiles(call: Call, options: ApplyOptions): Promise<Applied> {
  const { workspace } = call.ports;
  const { files, steps, gates } = handedOn(call, options.gates);
  if (files.length === 0) return { puts: [], gates };
  const { tree } = await call.snapshot();
  const now = await workspace.files(tree);
  const changes = files.map((change) => fromKnown(change, now, steps.get(change.path)!));
  // Where an object store was emptied, contents come from the records: building a tree brings them back.
  await workspace.build(tree, changes, copierOf(call));
  const puts = await workspace.put(changes, tree, { saved: options.saved, dryRun: options.dryRun ?? false });
  call.forgetSnapshot();
  return { puts, gates };
}

/**
 * The version of the workspace that a run began with, and the same with what its gates hand on.
 * @throws GatelineError `DIFF_UNAVAILABLE`, `FILES_CONFLICT`
 */
export async function versionsOf(call: Call): Promise<{ readonly from: string; readonly to: string }> {
  const { runNumber } = call.journal.state();
  const claims = [...call.journal.archive().started.values()].flat();
  const from = claims.findLast((claim) => claim.runNumber === runNumber && claim.base !== undefined)?.base;
  const base = from ?? (await call.snapshot()).tree;
  const { files } = handedOn(call, undefined);
  return { from: base, to: await call.ports.workspace.build(base, files, copierOf(call)) };
}

interface Wanted extends Pick<ReturnType<typeof filesLeft>, 'files' | 'steps'> {
  readonly gates: readonly UnitKey[];
}

function handedOn({ graph, journal }: Call, gates: readonly string[] | undefined): Wanted {
  for (const name of gates ?? []) {
    if ([...graph.values()].some(({ key, gate }) => key === name || gate.id === name)) continue;
    throw new GatelineError('user', 'GATE_UNKNOWN', `there is no gate ${name}`, {
      hint: `Gates: ${[...graph.keys()].join(', ')}.`,
    });
  }
  const wanted = [...graph.values()].filter(
    ({ key, gate }) => gates?.some((one) => one === key || one === gate.id) ?? true,
  );
  const state = journal.state();
  const { files, steps, conflicts } = filesLeft(
    graph,
    state,
    wanted.map(({ key }) => key),
  );
  if (conflicts.length > 0) {
    const list = conflicts.map(({ path, gates: by }) => `${path} (${by.join(' and ')})`).join(', ');
    throw new GatelineError(
      'user',
      'FILES_CONFLICT',
      `gates that do not need each other left one path differently: ${list}`,
      {
        hint: 'Name one of them: `--gate GATE`.',
      },
    );
  }
  const done = wanted.filter(
    ({ key }) => state.units.get(key)?.done === true && state.units.get(key)!.ended !== undefined,
  );
  return { files, steps, gates: done.map(({ key }) => key) };
}

/** What may be replaced: any state that a gate found or left on the way to the last one. */
function fromKnown(change: FileChange, now: Tree, steps: readonly FileChange[]): FileChange {
  const file = now.get(change.path) ?? null;
  const known = steps.flatMap(({ before, after }) => [before, after]);
  const found = known.find((state) => sameFile(state, file));
  return { ...change, before: found === undefined ? steps[0]!.before : found };
}
