import { chmod, lstat, mkdir, readdir, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { basename, dirname } from 'node:path/posix';
import { isSystemError } from '../../errors/gateline-error.ts';
import { foldersOf } from '../files/contain.ts';
import { inParallel } from '../../in-parallel.ts';
import type { LinkPlan, LinkPiece } from './link-plan.ts';

const SIDE_BY_SIDE = 16;

/** The pieces that go into one folder. */
interface PieceFolder {
  readonly path: string;
  readonly pieces: Map<string, LinkPiece>;
  /** Names of subfolders that contain pieces. */
  readonly folders: Set<string>;
}

/**
 * Make a folder of the work tree contain its pieces and nothing else, except what is excluded; or put a single piece in
 * its place. Correct entries are not touched. Links are never followed, nor is anything removed through one. If the
 * tree has something else in the place of a folder, nothing is linked, with a warning.
 *
 * @returns whether anything was placed
 */
export async function placePieces(plan: LinkPlan): Promise<boolean> {
  const { top } = plan;
  const folders = foldersOfPieces(plan);
  if (folders.length === 0 || !(await makeFoldersAbove(plan))) return false;
  const blocked = new Set<string>();
  for (const folder of folders) {
    if (foldersOf(folder.path).some((above) => blocked.has(above))) continue;
    const isOurs = folder.path === top || folder.path.startsWith(`${top}/`);
    if (!(await fill(plan, folder, isOurs))) blocked.add(folder.path);
  }
  return !blocked.has(top);
}

/** The folders that contain pieces, outermost first. A piece that replaces the whole folder is in the one above. */
function foldersOfPieces({ pieces, top }: LinkPlan): PieceFolder[] {
  const folders = new Map<string, PieceFolder>();
  const at = (path: string): PieceFolder => {
    const folder = folders.get(path) ?? { path, pieces: new Map(), folders: new Set() };
    folders.set(path, folder);
    return folder;
  };
  for (const [path, piece] of pieces) {
    if (path !== top && !path.startsWith(`${top}/`)) continue;
    for (const inner of foldersOf(path)) {
      if (inner.length > top.length) at(dirname(inner)).folders.add(basename(inner));
    }
    at(path.includes('/') ? dirname(path) : '').pieces.set(basename(path), piece);
  }
  return [...folders.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Creates missing parent folders. False if something else is in the place of one. */
async function makeFoldersAbove({ to, top, warnings }: LinkPlan): Promise<boolean> {
  for (const folder of foldersOf(top)) {
    const stats = await statsOf(join(to, folder));
    if (stats === undefined) await mkdir(join(to, folder));
    else if (!stats.isDirectory()) {
      warnings.push({ path: top, why: `is not linked: ${folder} is not a folder in the work tree` });
      return false;
    }
  }
  return true;
}

/** @param isOurs whether everything except the pieces is removed */
async function fill(plan: LinkPlan, folder: PieceFolder, isOurs: boolean): Promise<boolean> {
  const place = join(plan.to, folder.path);
  const stats = isOurs ? await statsOf(place) : undefined;
  if (stats !== undefined && !stats.isDirectory() && plan.excluded(folder.path)) {
    plan.warnings.push({ path: folder.path, why: 'is not linked: the work tree has a file or a link in its place' });
    return false;
  }
  const isNew = isOurs && stats?.isDirectory() !== true;
  if (isNew) {
    await rm(place, { recursive: true, force: true });
    await mkdir(place);
  } else if (isOurs) await removeOthers(plan, folder, place);
  await inParallel(SIDE_BY_SIDE, folder.pieces, async ([name, piece]) => {
    await placeOne(join(place, name), piece, isNew);
  });
  return true;
}

async function removeOthers(plan: LinkPlan, folder: PieceFolder, place: string): Promise<void> {
  for (const name of await readdir(place)) {
    if (folder.pieces.has(name) || folder.folders.has(name) || plan.excluded(`${folder.path}/${name}`)) continue;
    await rm(join(place, name), { recursive: true, force: true });
  }
}

async function placeOne(place: string, piece: LinkPiece, isNew: boolean): Promise<void> {
  if (!isNew) {
    if (piece.kind === 'link' && (await readlink(place).catch(() => undefined)) === piece.target) return;
    await rm(place, { recursive: true, force: true });
  }
  if (piece.kind === 'copy') {
    await writeFile(place, piece.content, { flag: 'wx' });
    await chmod(place, piece.mode);
  } else {
    // On Windows every user may create junctions, but not links.
    await symlink(piece.target, place, piece.isFolder ? 'junction' : undefined);
  }
}

async function statsOf(path: string) {
  try {
    return await lstat(path);
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return undefined;
    throw error;
  }
}
