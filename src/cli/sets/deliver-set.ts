import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import {
  branchOf,
  deliverBranch,
  deliverPatch,
  type DeliverAs,
  type DeliverOptions,
} from '../../engine/set/deliver-set.ts';
import type { SetResult } from '../../engine/set/run-set.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { LoadedPipeline } from '../../local/load-pipeline.ts';
import { stateRoot } from '../../local/local-ports.ts';
import type { SetStatusJson } from '../../report/json/set-json.ts';
import { atomicWrite } from '../../store/filesystem/atomic-write.ts';
import type { ExitCode } from '../exit-codes.ts';
import { exitCodeOfError } from '../output/report-error.ts';

/** The result of delivering one subject, with the reason. */
export type DeliveredRow = NonNullable<SetStatusJson['subjects'][number]['delivered']>;

/** The results by subject, and the exit codes of subjects that could not be delivered. */
export interface DeliveredSet {
  readonly delivered: ReadonlyMap<string, DeliveredRow>;
  readonly codes: readonly ExitCode[];
}

/**
 * Delivers the files of all completed subjects. Subjects that were delivered before do not change, and after Ctrl-C no
 * subject is delivered.
 */
export async function deliver(
  as: DeliverAs | undefined,
  loaded: LoadedPipeline,
  { subjects, set, cancelled }: SetResult,
): Promise<DeliveredSet> {
  const delivered = new Map<string, DeliveredRow>();
  const codes: ExitCode[] = [];
  if (as === undefined || cancelled) return { delivered, codes };
  for (const [id, { status }] of subjects) {
    if (status !== 'completed') continue;
    try {
      delivered.set(id, await deliverOne(loaded, set, as, id));
    } catch (error) {
      if (!(error instanceof GatelineError) || error.fault === 'gateline') throw error;
      const reason = `${error.code}: ${error.message}. ${error.hint}`;
      delivered.set(id, { status: 'refused', to: null, commit: null, reason });
      codes.push(exitCodeOfError(error));
    }
  }
  return { delivered, codes };
}

/** Hands over the files of one completed subject, or with `dryRun` says what that would do. */
export async function deliverOne(
  loaded: LoadedPipeline,
  set: SetResult['set'],
  as: DeliverAs,
  id: string,
  { dryRun = false }: DeliverOptions = {},
): Promise<DeliveredRow> {
  const branches = set.ports.branches!;
  if (as === 'branch') {
    const { status, to = null, commit = null } = await deliverBranch(set, branches, id, { dryRun });
    const short = commit?.slice(0, 7) ?? '';
    const reason = {
      delivered: dryRun
        ? `its files would be the new branch ${branchOf(id)}`
        : `its files are commit ${short} of the new branch ${branchOf(id)}`,
      unchanged: `its files are on the branch ${branchOf(id)} already`,
      nothing: 'it has no files that the checked out commit lacks',
    }[status];
    return { status, to, commit, reason };
  }
  const { patch, status } = await deliverPatch(set, await branches.prefix(), id);
  if (patch === undefined) return { status, to: null, commit: null, reason: 'it has no files that your folder lacks' };
  const path = join(stateRoot(loaded), 'patches', `${id}.patch`);
  const to = relative(loaded.root, path).replaceAll('\\', '/');
  const before = await readFile(path).catch(() => undefined);
  if (before?.equals(patch)) return { status: 'unchanged', to, commit: null, reason: `its files are in ${to} already` };
  if (dryRun) return { status, to, commit: null, reason: `its files would be in ${to}` };
  await atomicWrite(path, patch, { temporaryFolder: join(stateRoot(loaded), 'tmp') });
  return { status, to, commit: null, reason: `its files are in ${to}, for \`git apply\`` };
}
