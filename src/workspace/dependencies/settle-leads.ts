import { lstat, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { foldersOf } from '../files/contain.ts';
import { isInstalled } from './plan-modules.ts';
import { pathBelow, type SharedPlan } from './plan.ts';

/**
 * Look where links lead that lead into the repository. One whose place the work tree lacks would lead nowhere, or to the user's
 * file if it were left as it is: it leads to the user's if that is an installed package, else it is left out, with a warning.
 */
export async function settleLeads(plan: SharedPlan): Promise<void> {
  const folders = new Set([...plan.pieces.keys()].flatMap(foldersOf));
  for (const [path, lead] of plan.leads) {
    if (lead === '' || folders.has(lead) || isPlanned(plan, lead) || (await isThere(join(plan.to, lead)))) continue;
    const users = await realpath(join(plan.from, lead)).catch(() => undefined);
    if (users === undefined) continue;
    if (isInstalled(users) || pathBelow(plan.from, users) === undefined) {
      plan.pieces.set(path, { kind: 'link', target: users, isFolder: false });
    } else {
      plan.pieces.delete(path);
      plan.warnings.push({ path, why: `is not linked: it leads to ${lead}, which the work tree does not have` });
    }
  }
}

/** Whether a path is a piece, or lies behind one. */
function isPlanned(plan: SharedPlan, path: string): boolean {
  return plan.pieces.has(path) || foldersOf(path).some((folder) => plan.pieces.has(folder));
}

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}
