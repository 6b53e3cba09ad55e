import { GatelineError } from '../../errors/gateline-error.ts';
import { firstNames } from '../../errors/first-names.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import { sameFile } from '../../run/files/tree.ts';
import { unitOf } from '../../run/records/record.ts';
import type { Put } from '../../workspace/workspace.ts';
import type { Call } from '../call/call.ts';
import { asGone } from './files-to-put.ts';
import { rollbackCommand, type RunInFolder } from './folder-runs.ts';
import { unfinishedApply, unfinishedApplyText } from './unfinished-apply.ts';
import { inPlaceOf, isOfRun } from './wanted-files.ts';

/** How to roll back the run whose files are in the folder. */
export function otherText(other: RunInFolder, to: string | undefined): string {
  const command = rollbackCommand({ ...other, to });
  return `The files of run ${other.runNumber} of ${other.subject} are in this folder: \`${command}\` undoes that.`;
}

/** The command that rolls a whole run of the call's subject back. */
export function commandFor({ journal, ports }: Call, runNumber: number): string {
  return rollbackCommand({ subject: journal.state().subject, runNumber, file: ports.putLists?.file });
}

/**
 * An attempt in the user's folder that left no record of its changes: it is unknown what it changed.
 * @throws GatelineError `ROLLBACK_CONFLICT`
 */
export function refuseUnrecorded(call: Call, kept: ReadonlySet<UnitKey>, force: boolean): void {
  const unknown = inPlaceOf(call, kept).filter(({ ended }) => ended?.snapshot === undefined);
  if (unknown.length === 0 || force) return;
  const gates = firstNames([...new Set(unknown.map(({ claim }) => unitOf(claim)))], 10);
  throw new GatelineError('ROLLBACK_CONFLICT', `no record says what these gates changed in your folder: ${gates}`, {
    hint: 'Undo their changes yourself (`git diff` shows those of tracked files), then add `--force`.',
  });
}

/**
 * Files that an interrupted call has not applied yet look as if somebody had changed them back.
 * @throws GatelineError `ROLLBACK_CONFLICT`
 */
export async function refuseHalfApplied(call: Call, puts: readonly Put[]): Promise<void> {
  if (puts.every(({ action }) => action !== 'conflict')) return;
  const open = await unfinishedApply(call.ports, () => call.snapshot());
  if (open === undefined || !isOfRun(call, open)) return;
  const { runNumber } = call.journal.state();
  throw new GatelineError('ROLLBACK_CONFLICT', unfinishedApplyText(open), {
    hint: `Roll back then. Or undo what was applied: \`${commandFor(call, runNumber)}\`.`,
  });
}

/**
 * Restoring the database of an earlier run would undo what gates of later runs changed in it, too.
 * @throws GatelineError `ROLLBACK_CONFLICT`
 */
export function refuseLaterWork(call: Call): void {
  const { runNumber, subject } = call.journal.state();
  const claims = [...call.journal.archive().started.values()].flat();
  const later = claims.filter((claim) => claim.runNumber > runNumber && claim.place !== undefined);
  if (later.length === 0) return;
  const last = Math.max(...later.map((claim) => claim.runNumber));
  throw new GatelineError('ROLLBACK_CONFLICT', `run ${last} of ${subject} may have changed the database since`, {
    hint: `\`${commandFor(call, last)}\` undoes that run first. \`--force\` undoes its changes to the database, too.`,
  });
}

/**
 * The list of what `apply` put into the folder may be gone: then files are as gates left them, and not as the run found
 * them.
 * @throws GatelineError `ROLLBACK_CONFLICT`
 */
export async function refuseUnlisted(call: Call, kept: ReadonlySet<UnitKey>): Promise<void> {
  const { graph, journal, ports } = call;
  const now = await ports.workspace.files((await call.snapshot()).tree);
  const unlisted = new Set<string>();
  for (const key of graph.keys()) {
    const { started, ended } = journal.state().units.get(key)!;
    const base = ended?.base ?? started?.base;
    if (kept.has(key) || base === undefined) continue;
    const found = await ports.workspace.files(base).catch((error: unknown) => asGone(error));
    for (const { path, after } of ended?.files ?? []) {
      const is = now.get(path) ?? null;
      if (sameFile(is, after) && !sameFile(is, found.get(path) ?? null)) unlisted.add(path);
    }
  }
  if (unlisted.size === 0) return;
  const list = firstNames([...unlisted], 20);
  throw new GatelineError(
    'ROLLBACK_CONFLICT',
    `as gates left them, but no list below .state/applied names them: ${list}`,
    {
      hint: 'Restore these files yourself if you want them back as they were. Then add `--force`, which leaves them alone.',
    },
  );
}
