import { composeFiles, type FileChange, type GateFiles } from '../../run/files.ts';
import type { Unit } from '../../run/units.ts';
import { listNames } from '../../verdict/texts.ts';
import { createMatcher } from '../../workspace/globs.ts';
import type { Snapshot } from '../../workspace/workspace.ts';
import type { Call } from '../call.ts';
import { filesAdvice } from '../plan/reasons.ts';
import { handedOnTo, type Needs } from '../plan/request.ts';

/** What changed in the folder while a unit worked. */
export interface FolderChanges {
  /** Changes of files that the unit declares. */
  readonly declared: readonly FileChange[];
  /** All others: they count as the user's. */
  readonly undeclared: readonly FileChange[];
  /** Undeclared paths that are inputs of the unit. */
  readonly disturbedInputs: readonly string[];
  /** The files of the unit, all its attempts together. */
  readonly files: GateFiles;
}

/** Splits the changes of the folder: the unit's where it declares `files`, else the user's. */
export async function splitChanges(
  call: Call,
  { unit, needs }: { readonly unit: Unit; readonly needs: Needs },
  before: Snapshot,
  after: Snapshot,
): Promise<FolderChanges> {
  const { workspace } = call.ports;
  const owns = call.fileMatcher(unit);
  const reads = call.inputMatcher(unit.gate, handedOnTo(needs));
  const changes = await workspace.diff(before, after);
  const declared = changes.filter(({ path }) => owns(path));
  const undeclared = changes.filter(({ path }) => !owns(path));
  const disturbedInputs = undeclared.map(({ path }) => path).filter(reads);
  const earlier = call.state.files.get(unit.key) ?? {};
  if (unit.gate.files === undefined) return { declared, undeclared, disturbedInputs, files: {} };
  const versions = await workspace.listFiles(before);
  const files = composeFiles(earlier, (path) => versions.get(path) ?? before.unstored[path] ?? null, declared);
  if (unit.gate.files !== 'changed') {
    // Files that the agent left unchanged belong to the unit too: they are handed on and put back like the others.
    const unchanged = [...(await workspace.listFiles(after))].filter(
      ([path]) => owns(path) && files[path] === undefined,
    );
    if (unchanged.length <= MAX_UNCHANGED)
      for (const [path, version] of unchanged) files[path] = { base: version, found: [], after: version };
  }
  return { declared, undeclared, disturbedInputs, files };
}

/** Changes as an entry records them. A path that holds a secret is redacted: no such file is handed on. */
export function recordChanges({ order }: Call, { files, declared, undeclared }: FolderChanges) {
  const isAllowed = createMatcher(order.pipeline.allowSecrets);
  const redact = (path: string) => (isAllowed(path) ? path : order.redactor.text(path));
  return {
    files: Object.fromEntries(Object.entries(files).map(([path, file]) => [redact(path), file])),
    changes: declared.map((change) => ({ ...change, path: redact(change.path) })),
    undeclared: undeclared.map(({ path }) => redact(path)),
  };
}

/** At most this many unchanged files are recorded; beyond that, none. */
const MAX_UNCHANGED = 1_000;

/** Reports changes that the unit does not declare. */
export function reportUndeclared(
  call: Call,
  { key, gate }: Unit,
  { undeclared, disturbedInputs }: FolderChanges,
): void {
  if (undeclared.length === 0) return;
  const paths = undeclared.map(({ path }) => path);
  const effect =
    disturbedInputs.length > 0
      ? `; ${listNames(disturbedInputs, 2)} is among its inputs, so its output serves this call only`
      : '';
  call.notice(
    `${listNames(paths, 2)} changed while ${key} worked, and ${gate.id} does not declare that: it counts as your change${effect}`,
    {
      unit: key,
      hint: `if ${gate.id} makes it, ${filesAdvice(gate, paths)}`,
    },
  );
}
