import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { compileGlobs } from '../files/globs.ts';
import { isInstalled } from './plan-modules.ts';

/** The entries named by a list of globs under `link`. */
export interface NamedEntries {
  /** The user's files and folders that the globs name, relative to the top. Everything inside a folder is included. */
  readonly paths: readonly string[];
  /** Globs that name nothing. */
  readonly unmatched: readonly string[];
  /** True for a path that a `!` glob excludes. */
  readonly leftOut: (path: string) => boolean;
  /** True for a folder in which a `!` glob may exclude something. */
  readonly holdsLeftOut: (folder: string) => boolean;
}

/**
 * Search for what globs name. The search for each starts in the folder that it names before its first wildcard. `.git`,
 * `.state` and installed packages are not searched.
 *
 * @param top absolute path of the repository
 */
export async function findNamed(top: string, written: readonly string[]): Promise<NamedEntries> {
  // `data/` means the same folder as `data`.
  const list = written.map((glob) => glob.replace(/(?<=[^/])\/+$/, ''));
  const all = compileGlobs(list);
  const out = list.filter((glob) => glob.startsWith('!')).map((glob) => glob.slice(1));
  const taken = out.length === 0 ? undefined : compileGlobs(out);
  const found = new Set<string>();
  const naming = list.filter((glob) => !glob.startsWith('!'));
  const starts = naming.map((glob) => compileGlobs([glob]).prefixes[0] ?? '');
  for (const start of new Set(starts)) {
    if (start !== '' && !(await lstat(join(top, start)).catch(() => undefined))) continue;
    await walk(top, start, (path) => all.matches(path), found);
  }
  return {
    unmatched: naming.filter((glob) => {
      const named = compileGlobs([glob]);
      const start = named.prefixes[0] ?? '';
      return ![...found].some((path) => named.matches(path) || start === path || start.startsWith(`${path}/`));
    }),
    paths: [...found].toSorted().filter((path, _, sorted) => !sorted.some((other) => path.startsWith(`${other}/`))),
    leftOut: (path) => taken !== undefined && taken.matches(path) && !all.matches(path),
    holdsLeftOut: (folder) => taken !== undefined && taken.prefixes.some((prefix) => prefix.startsWith(`${folder}/`)),
  };
}

async function walk(top: string, path: string, takes: (path: string) => boolean, found: Set<string>): Promise<void> {
  if (path !== '' && takes(path)) {
    found.add(path);
    return;
  }
  if (isInstalled(path)) return;
  for (const entry of await readdir(join(top, path), { withFileTypes: true }).catch(() => [])) {
    if (entry.name === '.git' || (path === '' && entry.name === '.state')) continue;
    const inner = path === '' ? entry.name : `${path}/${entry.name}`;
    if (entry.isDirectory()) await walk(top, inner, takes, found);
    else if (takes(inner)) found.add(inner);
  }
}
