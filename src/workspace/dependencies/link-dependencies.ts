import { lstat, realpath, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { GatelineError, messageOf } from '../../errors/gateline-error.ts';
import type { WorkspaceSettings } from '../../pipeline/pipeline.ts';
import { findNamed } from './named-folders.ts';
import { isEnvironment } from './dependency-folders.ts';
import { refuseEditableInstalls } from './editable-installs.ts';
import { placePieces } from './place-pieces.ts';
import { planEnvironment } from './plan-environment.ts';
import { planFolder, planLink } from './plan-entry.ts';
import { planModules, isInstalled } from './plan-modules.ts';
import {
  emptyPlan,
  pathBelow,
  planFor,
  type Exclusion,
  type LinkWarning,
  type Mirrored,
  type SharedPlan,
  type LinkPlan,
} from './link-plan.ts';
import type { Globs } from '../files/globs.ts';
import { foldersOf } from '../files/contain.ts';

export { findDependencyFolders } from './dependency-folders.ts';
export type { Exclusion, LinkWarning } from './link-plan.ts';

/** Options of {@link linkDependencies}. */
export interface LinkOptions {
  /** Top of the user's repository: absolute, real path. */
  readonly from: string;
  /** Top of the work tree, outside of `from`: absolute, real path. Its tree is already checked out. */
  readonly to: string;
  readonly link: WorkspaceSettings['link'];
  /** Paths that are never linked; {@link exclusionOf} makes one. */
  readonly excluded: Exclusion;
  /** For `link: dependencies`: the result of {@link findDependencyFolders}. */
  readonly folders: readonly string[];
}

/** The result of {@link linkDependencies}. */
export interface LinkedDependencies {
  /**
   * Paths in the work tree that contain only links and copies, no files of the tree: usually folders. Never captured,
   * and ignored by the work tree's git.
   */
  readonly linked: readonly string[];
  readonly warnings: readonly LinkWarning[];
}

/**
 * Give a work tree the user's installed packages without risk of losing them: folders are real, and each entry is a
 * link to the user's entry. Removing an entry from a work tree removes only a link; writing through a link changes the
 * user's file. Calling it again restores the folders, so that packages installed by an earlier attempt are gone.
 *
 * @throws GatelineError `DEPENDENCIES_EDITABLE` before anything is changed, `LINK_FAILED`
 */
export async function linkDependencies(options: LinkOptions): Promise<LinkedDependencies> {
  const { link } = options;
  if (link === 'none') return { linked: [], warnings: [] };
  try {
    return await (link === 'dependencies' ? linkFolders(options) : linkNamed(options, link));
  } catch (error) {
    if (error instanceof GatelineError) throw error;
    throw new GatelineError('LINK_FAILED', `Packages cannot be linked into ${options.to}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

async function linkFolders({ from, to, excluded, folders }: LinkOptions): Promise<LinkedDependencies> {
  const plan = emptyPlan({ from, to, excluded, leftOut: () => false });
  const there: string[] = [];
  for (const path of folders) {
    // A package that an earlier gate removed needs no dependencies.
    const above = await lstat(join(to, path, '..')).catch(() => undefined);
    if (above !== undefined) there.push(path);
  }
  return link(plan, there);
}

async function linkNamed({ from, to, excluded }: LinkOptions, globs: readonly string[]): Promise<LinkedDependencies> {
  const { paths, unmatched, leftOut, holdsLeftOut } = await findNamed(from, globs);
  const holds: Exclusion = (path, top) => excluded(path, top) || holdsLeftOut(path);
  const { linked, warnings } = await link(emptyPlan({ from, to, excluded: holds, leftOut }), paths);
  const idle = unmatched.map((path) => ({ path, why: '(`link` under `workspace`) names nothing in your folder' }));
  return { linked, warnings: [...idle, ...warnings] };
}

async function link(whole: SharedPlan, paths: readonly string[]): Promise<LinkedDependencies> {
  const plans: LinkPlan[] = [];
  for (const path of paths) plans.push(await planTop(whole, path));
  refuseEditableInstalls(whole.editable);
  await settleLeads(whole);
  const linked: string[] = [];
  for (const plan of plans) {
    if (await placePieces(plan)) linked.push(...(plan.excluded(plan.top) ? piecesOf(plan) : [plan.top]));
  }
  return { linked, warnings: whole.warnings };
}

async function planTop(whole: SharedPlan, path: string): Promise<LinkPlan> {
  const place = join(whole.from, path);
  const stats = await lstat(place).catch(() => undefined);
  const isLink = stats?.isSymbolicLink() === true;
  const lead = isLink ? await realpath(place).catch(() => undefined) : undefined;
  // A folder that is elsewhere is mirrored as if it were here.
  const isElsewhere =
    lead !== undefined && pathBelow(whole.from, lead) === undefined && (await stat(lead)).isDirectory();
  const source = isElsewhere ? lead : place;
  const plan = planFor(whole, path, source);
  if (isElsewhere || stats?.isDirectory() === true) await planMirror(plan, { path, source });
  else if (plan.excluded(path)) return plan;
  else if (isLink) await planLink(plan, { path, source });
  else if (stats?.isFile() === true) plan.pieces.set(path, { kind: 'link', target: source, isFolder: false });
  return plan;
}

async function planMirror(plan: LinkPlan, folder: Mirrored): Promise<void> {
  if (basename(folder.path) === 'node_modules') await planModules(plan, folder);
  else if (await isEnvironment(folder.source)) await planEnvironment(plan, folder);
  else await planFolder(plan, folder);
}

/** The pieces at or below a top folder in which the tree also has files. */
function piecesOf({ pieces, top }: LinkPlan): string[] {
  return [...pieces.keys()].filter((path) => path === top || path.startsWith(`${top}/`));
}

/**
 * Paths that are never linked: files of the tree, and paths that globs can match. A glob matches files that git ignores
 * only if it names their folder, or a place in it, before its first wildcard: `packages/**` does not match
 * `packages/a/node_modules`.
 *
 * @param files paths of the user's snapshot, and of the tree that is checked out
 * @param globs the `inputs` and `files` of every gate
 */
export function exclusionOf(files: Iterable<string>, globs: readonly Pick<Globs, 'prefixes'>[]): Exclusion {
  const tracked = new Set<string>();
  for (const file of files) {
    const folder = file.slice(0, Math.max(file.lastIndexOf('/'), 0));
    if (!tracked.has(folder)) for (const above of [folder, ...foldersOf(folder)]) tracked.add(above);
    tracked.add(file);
  }
  const prefixes = [...new Set(globs.flatMap((list) => list.prefixes))];
  const isIn = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);
  return (path, top) =>
    tracked.has(path) || prefixes.some((prefix) => isIn(prefix, path) || (isIn(path, prefix) && isIn(prefix, top)));
}

/**
 * Check the targets of links into the repository. If the work tree lacks the target, an unchanged link would be broken
 * or lead to the user's file. Such a link is set to the user's target if that is an installed package; otherwise it is
 * left out, with a warning.
 */
async function settleLeads(plan: SharedPlan): Promise<void> {
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

/** Whether a path is a piece, or is below one. */
function isPlanned(plan: SharedPlan, path: string): boolean {
  return plan.pieces.has(path) || foldersOf(path).some((folder) => plan.pieces.has(folder));
}

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}
