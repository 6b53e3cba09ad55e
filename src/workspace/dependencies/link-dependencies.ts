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
import { planModules } from './plan-modules.ts';
import {
  emptyPlan,
  pathBelow,
  planFor,
  type Exclusion,
  type LinkWarning,
  type Mirrored,
  type SharedPlan,
} from './plan.ts';
import { type LinkPlan } from './plan.ts';
import { settleLeads } from './settle-leads.ts';

export { findDependencyFolders } from './dependency-folders.ts';
export { exclusionOf } from './exclusion.ts';
export type { Exclusion, LinkWarning } from './plan.ts';

/** What {@link linkDependencies} is told. */
export interface LinkOptions {
  /** Top of the user's repository: absolute, real path. */
  readonly from: string;
  /** Top of the work tree, outside of `from`: absolute, real path. Its tree is checked out already. */
  readonly to: string;
  readonly link: WorkspaceSettings['link'];
  /** What is never linked; {@link exclusionOf} makes one. */
  readonly excluded: Exclusion;
  /** For `link: dependencies`: what {@link findDependencyFolders} found. */
  readonly folders: readonly string[];
}

/** What {@link linkDependencies} did. */
export interface LinkedDependencies {
  /**
   * Paths of the work tree that hold links and copies, and nothing of the tree: folders as a rule. Never captured, and ignored
   * by the work tree's git.
   */
  readonly linked: readonly string[];
  readonly warnings: readonly LinkWarning[];
}

/**
 * Give a work tree the user's installed packages, without a way to lose them: folders are real, and each entry is a link to
 * the user's. What is removed from a work tree is a link; what is written through one is the user's. Called again it brings
 * the folders back to what they should be, so that what an earlier attempt installed is gone.
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
  const { paths, leftOut, holdsLeftOut } = await findNamed(from, globs);
  const holds: Exclusion = (path, top) => excluded(path, top) || holdsLeftOut(path);
  return link(emptyPlan({ from, to, excluded: holds, leftOut }), paths);
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
  // A folder that stands elsewhere is mirrored as if it stood here.
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

/** The pieces at or below a top in which the tree has something too. */
function piecesOf({ pieces, top }: LinkPlan): string[] {
  return [...pieces.keys()].filter((path) => path === top || path.startsWith(`${top}/`));
}
