import type { UnitKey } from '../pipeline/pipeline.ts';
import type { EndedRecord, FileChange } from '../run/record.ts';
import type { TreeFile } from '../run/tree.ts';
import { descendantsOf, type Unit } from '../run/unit.ts';
import type { Baseline, Materialised } from '../workspace/workspace.ts';
import type { Call } from './call.ts';
import { copierOf } from './content.ts';

/**
 * Brings files to where gates left them, and says what was put aside for that. What any gate left and is kept is
 * nobody's edit. Attempts that run meanwhile find these files so: none of them changed them. To be called in turn.
 *
 * @param whose whose files these are, for people: `the gate`
 */
export async function placeFiles(call: Call, unit: Unit, changes: readonly FileChange[], whose: string): Promise<void> {
  if (changes.length === 0) return;
  const known = leftBefore(call, new Set(changes.map(({ path }) => path)));
  const placed = await call.ports.workspace.materialise([...known, ...changes], copierOf(call));
  for (const [key, baseline] of call.running) call.running.set(key, withPlaced(baseline, placed, changes));
  for (const { path, displaced } of placed) {
    if (displaced === undefined) continue;
    const message = `${path} was not as ${whose} left it; put back, and your version is kept at ${displaced}`;
    await call.observe({ type: 'notice', unit: unit.key, message });
  }
}

/** Without those that stand as a gate after this one left them: it found them as this one had. */
export async function notOvertaken(call: Call, key: UnitKey, files: readonly FileChange[]): Promise<FileChange[]> {
  const { ended } = call.journal.archive();
  const later = new Map<string, FileChange[]>();
  for (const after of files.length === 0 ? [] : descendantsOf(call.graph, key)) {
    for (const change of (ended.get(after) ?? []).flatMap((record) => record.files))
      later.set(change.path, [...(later.get(change.path) ?? []), change]);
  }
  const still: FileChange[] = [];
  for (const file of files) if (!(await standsAsAny(call, later.get(file.path) ?? []))) still.push(file);
  return still;
}

async function standsAsAny({ ports: { workspace } }: Call, changes: readonly FileChange[]): Promise<boolean> {
  for (const change of changes) if (await workspace.stands([change])) return true;
  return false;
}

/** How gates left these paths before, as far as it is kept. */
function leftBefore(call: Call, paths: ReadonlySet<string>): FileChange[] {
  const records: EndedRecord[] = [...call.journal.archive().ended.values()].flat();
  return records.flatMap(({ files }) =>
    files.flatMap((file) => (paths.has(file.path) && file.after?.content ? [{ ...file, before: null }] : [])),
  );
}

function withPlaced(baseline: Baseline, placed: readonly Materialised[], changes: readonly FileChange[]): Baseline {
  const moved = new Set(placed.filter(({ action }) => action !== 'unchanged').map(({ path }) => path));
  if (moved.size === 0) return baseline;
  const tree = new Map(baseline.tree);
  const named = new Map(baseline.named);
  for (const { path, after } of changes) {
    if (!moved.has(path)) continue;
    for (const files of [tree, named]) place(files, path, after);
  }
  return { ...baseline, tree, named };
}

function place(files: Map<string, TreeFile>, path: string, after: FileChange['after']): void {
  if (after === null) files.delete(path);
  else files.set(path, { blob: after.blob, mode: after.mode });
}
