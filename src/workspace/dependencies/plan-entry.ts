import type { Dirent } from 'node:fs';
import { readdir, readFile, readlink, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { isSystemError } from '../../errors/gateline-error.ts';
import { isEscapedName } from '../files/path-bytes.ts';
import { pathBelow, placeInTree, type Mirrored } from './plan.ts';
import { type LinkPlan } from './plan.ts';

/** git's own, ours, and what Python makes again. */
const NEVER_LINKED = new Set(['.git', '.state', '__pycache__']);
/** Scripts that name the path of their environment are this long at most. */
const LONGEST_SCRIPT = 131_072;

/** An entry of a mirrored folder. */
export interface DependencyEntry extends Mirrored {
  readonly name: string;
  readonly dirent: Dirent;
}

/** What a mirrored folder holds, without what is never linked. Nothing when it is gone. */
export async function entriesOf(plan: LinkPlan, folder: Mirrored): Promise<DependencyEntry[]> {
  const entries: DependencyEntry[] = [];
  for (const dirent of await list(folder.source)) {
    const { name } = dirent;
    const path = `${folder.path}/${name}`;
    if (NEVER_LINKED.has(name) || plan.leftOut(path)) continue;
    if (isEscapedName(name)) plan.warnings.push({ path, why: 'is not linked: its name is not UTF-8' });
    else entries.push({ path, source: join(folder.source, name), name, dirent });
  }
  return entries;
}

async function list(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return [];
    throw error;
  }
}

/** A real folder with one link for each entry. */
export async function planFolder(plan: LinkPlan, folder: Mirrored): Promise<void> {
  for (const entry of await entriesOf(plan, folder)) await planEntry(plan, entry);
}

/** One link for an entry; where something in it is never linked, a real folder with the rest. */
export async function planEntry(plan: LinkPlan, entry: DependencyEntry): Promise<void> {
  const { path, source, dirent } = entry;
  const isExcluded = plan.excluded(path);
  if (dirent.isDirectory() && isExcluded) await planFolder(plan, entry);
  else if (isExcluded) return;
  else if (dirent.isSymbolicLink()) await planLink(plan, entry);
  else if (dirent.isDirectory()) plan.pieces.set(path, { kind: 'link', target: source, isFolder: true });
  else if (dirent.isFile()) plan.pieces.set(path, { kind: 'link', target: source, isFolder: false });
}

/**
 * A link of the user. One that leads into the repository leads to the same place of the work tree: a relative one as it is,
 * so that a package of the workspace is the work tree's. Whether that place is there is looked at when the plan is whole.
 */
export async function planLink(plan: LinkPlan, { path, source }: Mirrored): Promise<void> {
  const target = await readlink(source).catch(() => undefined);
  if (target === undefined) return;
  const lead = resolve(dirname(source), target);
  const place = placeInTree(plan, lead);
  const below = place ?? pathBelow(plan.from, await realpath(lead).catch(() => lead));
  const link = (there: string): void => void plan.pieces.set(path, { kind: 'link', target: there, isFolder: false });
  if (below === undefined) {
    link(lead);
    return;
  }
  // A relative link holds in the work tree if it begins where it stands here.
  const holds = place !== undefined && resolve(dirname(join(plan.from, path)), target) === join(plan.from, place);
  link(!isAbsolute(target) && holds ? target : join(plan.to, below));
  plan.leads.set(path, below);
}

/** Programs of an environment: scripts that name its path are copied and name that of the work tree. */
export async function planPrograms(plan: LinkPlan, folder: Mirrored): Promise<void> {
  for (const entry of await entriesOf(plan, folder)) {
    if (!(await planMoved(plan, entry, false))) await planEntry(plan, entry);
  }
}

/**
 * A copy of a text in which what names the user's folder names the work tree.
 * @param always copied even if it names neither
 * @returns false when it is no such file: nothing is planned then
 */
export async function planMoved(
  plan: LinkPlan,
  { path, source, dirent }: DependencyEntry,
  always: boolean,
): Promise<boolean> {
  if (!dirent.isFile() || plan.excluded(path)) return false;
  const { size, mode } = await stat(source);
  if (size > LONGEST_SCRIPT) return false;
  const text = await readFile(source, 'utf8');
  const moved = renamed(renamed(text, plan.source, join(plan.to, plan.top)), plan.from, plan.to);
  if (text.includes('\0') || isEscapedName(text) || (moved === text && !always)) return false;
  plan.pieces.set(path, { kind: 'copy', content: moved, mode: mode & 0o777 });
  return true;
}

/** A text with another folder in the place of one that it names. */
function renamed(text: string, from: string, to: string): string {
  // What stands in front tells whether the path begins there.
  return text.replaceAll(`${from}${sep}`, (found, at: number) =>
    at > 0 && /[\w.~-]/.test(text[at - 1]!) ? found : `${to}${sep}`,
  );
}
