import { changesOf } from '../run/files.ts';
import { comparePositions, type EndedRecord, type FileChange } from '../run/record.ts';
import { sameFile, unwind, type Tree } from '../run/tree.ts';
import { descendantsOf, type Unit } from '../run/unit.ts';
import type { Baseline, Changes, EarlierWork } from '../workspace/workspace.ts';
import { readBaseline } from './baseline-file.ts';
import type { Begun } from './begin-attempt.ts';
import type { Call } from './call.ts';

/** What a unit did to files before an attempt: what failed or killed attempts left half-done, and what it handed on. */
export async function earlierWork(
  call: Call,
  begun: Begun,
): Promise<EarlierWork & Required<Pick<EarlierWork, 'made'>>> {
  const ended = call.journal.archive().ended.get(begun.unit.key) ?? [];
  const since = await stoodBefore(call, begun, ended);
  const made = new Map(
    ended.flatMap(({ files }) => files.map((change): [string, FileChange] => [change.path, change])),
  );
  return { made: [...made.values()], ...(since && { since }) };
}

/**
 * What stood before the first of the unit's attempts since it last came to something; `undefined` when this is the
 * first. What a failed attempt changed is known from its record, so that nobody else's edits are taken for its own.
 * Of a killed one there is only what it found, and what it changed may be among what this one is given.
 */
async function stoodBefore(
  call: Call,
  { unit, started, baseline }: Begun,
  ended: readonly EndedRecord[],
): Promise<Tree | undefined> {
  const settled = ended.findLast((one) => one.verdict.status !== 'failed');
  let tree: Tree | undefined;
  for (const claim of (call.journal.archive().started.get(unit.key) ?? []).toReversed()) {
    if (claim.runNumber !== started.runNumber || comparePositions(claim, started) >= 0) continue;
    if (settled !== undefined && comparePositions(claim, settled) <= 0) break;
    const end = ended.find((one) => comparePositions(one, claim) === 0);
    if (end === undefined) {
      const directory = await call.ports.attempts.open(claim);
      const found = directory && (await readBaseline(directory));
      if (found !== undefined) tree = merged(found);
    } else if (claim.fingerprint === started.fingerprint) {
      tree = unwind(tree ?? merged(baseline), changesOf(end), [], () => true);
    }
  }
  return tree;
}

/**
 * Files that the unit handed on before and that still stand, below what gates after it made of them since. The attempt
 * left them alone, so they go on as they were.
 */
export async function coveredFiles(
  call: Call,
  unit: Unit,
  baseline: Baseline,
  made: readonly FileChange[],
  changes: Changes,
): Promise<FileChange[]> {
  const told = new Set([...changes.files, ...changes.touched, ...changes.refused].map(({ path }) => path));
  const open = made.filter(({ path }) => !told.has(path));
  if (open.length === 0) return [];
  const stands = merged(baseline);
  const committed = await call.ports.workspace.committed(open.map(({ path }) => path));
  const { ended } = call.journal.archive();
  const after = descendantsOf(call.graph, unit.key).flatMap((key) => ended.get(key) ?? []);
  const later = after.flatMap(changesOf).toReversed();
  return open.filter((change) => {
    const { path } = change;
    const now = stands.get(path) ?? null;
    const since = later.filter((one) => one.path === path);
    const below = unwind(new Map(now === null ? [] : [[path, now]]), since, [change], () => true, committed);
    return !sameFile(now, change.after) && sameFile(below.get(path) ?? null, change.after);
  });
}

function merged({ tree, named }: Baseline): Tree {
  return new Map([...tree, ...named]);
}
