import type { Dirent } from 'node:fs';
import { readdir, readFile, readlink, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { isSystemError } from '../../errors/gateline-error.ts';
import { isEscapedName } from '../files/path-bytes.ts';
import { pathBelow, placeInTree, type Mirrored, type LinkPlan } from './link-plan.ts';

/** git's folder, ours, and files that Python recreates. */
const NEVER_LINKED = new Set(['.git', '.state', '__pycache__']);
/** Maximum length of scripts that contain the path of their environment. */
const LONGEST_SCRIPT = 131_072;

/** An entry of a mirrored folder. */
export interface DependencyEntry extends Mirrored {
  readonly name: string;
  readonly dirent: Dirent;
}

/** The content of a mirrored folder, without paths that are never linked. Empty if it is gone. */
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

/** One link for an entry; if something in it is never linked, a real folder with the rest. */
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
 * A link of the user. If it leads into the repository, it leads to the same place in the work tree. A relative link is
 * copied as is, so a workspace package is the work tree's. Whether the target exists is checked when the plan is
 * complete.
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
  // A relative link is valid in the work tree if it is at its original place.
  const holds = place !== undefined && resolve(dirname(join(plan.from, path)), target) === join(plan.from, place);
  link(!isAbsolute(target) && holds ? target : join(plan.to, below));
  plan.leads.set(path, below);
}

/** Programs of an environment: scripts that contain its path are copied and use the work tree's path instead. */
export async function planPrograms(plan: LinkPlan, folder: Mirrored): Promise<void> {
  for (const entry of await entriesOf(plan, folder)) {
    if (!(await planMoved(plan, entry, false))) await planEntry(plan, entry);
  }
}

/**
 * A copy of a text in which the work tree's path replaces the user's.
 * @param always copied even if it contains neither
 * @returns false if it is not such a file: nothing is planned then
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

/** A text with one folder replaced by another. */
function renamed(text: string, from: string, to: string): string {
  // The preceding character shows whether the path begins there.
  return text.replaceAll(`${from}${sep}`, (found, at: number) =>
    at > 0 && /[\w.~-]/.test(text[at - 1]!) ? found : `${to}${sep}`,
  );
}
