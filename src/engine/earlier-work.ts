import { comparePositions, type EndedRecord, type FileChange } from '../run/record.ts';
import { unwind, type Tree } from '../run/tree.ts';
import type { Baseline, EarlierWork } from '../workspace/workspace.ts';
import { readBaseline } from './baseline-file.ts';
import type { Begun } from './begin-attempt.ts';
import type { Call } from './call.ts';

/** What a unit did to files before an attempt: what failed or killed attempts left half-done, and what it handed on. */
export async function earlierWork(call: Call, begun: Begun): Promise<EarlierWork> {
  const ended = call.journal.archive().ended.get(begun.unit.key) ?? [];
  const since = await stoodBefore(call, begun, ended);
  const made = new Map(ended.flatMap(({ files }) => files.map((change): [string, FileChange] => [change.path, change])));
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
      tree = unwind(tree ?? merged(baseline), [...end.files, ...end.touched], [], () => true);
    }
  }
  return tree;
}

function merged({ tree, named }: Baseline): Tree {
  return new Map([...tree, ...named]);
}
