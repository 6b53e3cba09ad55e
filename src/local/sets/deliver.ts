import type { Order } from '../../engine/ports.ts';
import { GatelineError } from '../../errors.ts';
import type { Delivery } from '../../report/set.ts';
import { commitToBranch } from '../../workspace/branch.ts';
import { changesOf, readCloneRun, saveCloneRun } from '../runs/clone-run.ts';
import type { Folder } from '../folder/folder.ts';

/** @throws GatelineError `usage` if the folder has no commit that a branch could start from */
export async function requireDelivery(folder: Folder): Promise<void> {
  if ((await folder.git.readHead()).head !== null) return;
  throw new GatelineError(
    'usage',
    `${folder.options.root} has no commit, and \`deliver: branch\` makes others on top`,
    {
      hint: '`git init`, then commit what is there.',
    },
  );
}

/**
 * Commits the files of a subject's clone to the branch `gateline/<subject>`, on top of the commit that is checked out.
 * @param isNew whether an agent has worked. Else a branch that was made stays: a merge may have brought others' files since
 */
export async function deliverBranch(folder: Folder, order: Order, isNew: boolean): Promise<Delivery> {
  const { subject, task = '', pipeline } = order;
  const branch = branchOf(order);
  const cloneRun = (await readCloneRun(folder, order))!;
  const changes = await changesOf(folder, cloneRun);
  const message = `${subject}: ${task.split('\n', 1)[0] || `files of ${pipeline.id}`}`;
  try {
    const { delivered } = cloneRun;
    const commit = await commitToBranch(folder.git.repository, { branch, changes, message, delivered, isNew });
    if (commit !== delivered) await saveCloneRun(folder, order, { ...cloneRun, delivered: commit });
    return { branch, commit };
  } catch (error) {
    if (!(error instanceof GatelineError) || error.fault !== 'usage') throw error;
    return { branch, problem: error.message };
  }
}

/** The last delivery of a subject. */
export async function readDelivery(folder: Folder, order: Order): Promise<Delivery> {
  return { branch: branchOf(order), commit: (await readCloneRun(folder, order))?.delivered };
}

function branchOf({ subject }: Order): string {
  return `gateline/${subject}`;
}
