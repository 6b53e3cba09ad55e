import { readdir, readlink, realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { entriesOf, planEntry, planFolder, planMoved, planPrograms, type DependencyEntry } from './plan-entry.ts';
import { pathBelow, type Mirrored, type LinkPlan } from './link-plan.ts';

/*
 * No package name begins with a dot: in `node_modules` tools use such names for their own files (caches such as `.vite`
 * and `.cache`, install metadata). A tool that found the metadata of the user's folder would write there, or mistake
 * links for its own installation. So all except these are left out.
 */

/** Folders in which pnpm, npm, yarn, bun and Deno store the packages that `node_modules` links to. */
const STORES = new Set(['.pnpm', '.store', '.bun', '.deno']);
/** Generated code that packages import. */
const GENERATED = new Set(['.prisma']);
/** Without it yarn does not start scripts. */
const NOTES = new Set(['.yarn-state.yml']);

/** A `node_modules`: a real folder with a link for each package, and a real folder for each scope. */
export async function planModules(plan: LinkPlan, folder: Mirrored): Promise<void> {
  for (const entry of await entriesOf(plan, folder)) {
    const isFolder = entry.dirent.isDirectory();
    if (!entry.name.startsWith('.')) {
      if (isFolder && entry.name.startsWith('@')) await planFolder(plan, entry);
      else await planEntry(plan, entry);
    } else if (entry.name === '.bin' && isFolder) await planPrograms(plan, entry);
    else if (STORES.has(entry.name) && isFolder) await planStore(plan, entry);
    else if (GENERATED.has(entry.name) && isFolder) await planFolder(plan, entry);
    else if (NOTES.has(entry.name)) await planMoved(plan, entry, true);
  }
}

/**
 * Each package of a store is one link; the store's own folder of links to all of them is handled like a `node_modules`.
 */
async function planStore(plan: LinkPlan, folder: Mirrored): Promise<void> {
  for (const entry of await entriesOf(plan, folder)) {
    if (!entry.dirent.isDirectory() || entry.name.startsWith('.')) continue;
    if (entry.name === 'node_modules') await planModules(plan, entry);
    else {
      await planEntry(plan, entry);
      // pnpm appends the peers of a package after `_`.
      if (entry.name.includes('_')) await nameOwnPeers(plan, entry);
    }
  }
}

/** A package in a store finds its peers by its real path: a peer that is a workspace package is the user's. */
async function nameOwnPeers(plan: LinkPlan, entry: DependencyEntry): Promise<void> {
  const modules = join(entry.source, 'node_modules');
  for (const link of await linksIn(modules)) {
    const target = await readlink(link).catch(() => undefined);
    if (target === undefined) continue;
    const lead = resolve(dirname(link), target);
    if (pathBelow(plan.from, lead) === undefined || isInstalled(lead)) continue;
    const real = await realpath(lead).catch(() => lead);
    const below = isInstalled(real) ? undefined : pathBelow(plan.from, real);
    if (below !== undefined) {
      const why = `imports ${below} from your folder, not from the work tree: it is a peer of that package`;
      plan.warnings.push({ path: entry.path, why });
    }
  }
}

async function linksIn(modules: string): Promise<string[]> {
  const links: string[] = [];
  for (const entry of await readdir(modules, { withFileTypes: true }).catch(() => [])) {
    const path = join(modules, entry.name);
    if (entry.isSymbolicLink()) links.push(path);
    else if (entry.name.startsWith('@')) {
      const scoped = await readdir(path, { withFileTypes: true }).catch(() => []);
      links.push(...scoped.filter((one) => one.isSymbolicLink()).map((one) => join(path, one.name)));
    }
  }
  return links;
}

/** Whether a path is in a `node_modules`. */
export function isInstalled(path: string): boolean {
  return path.split(/[/\\]/).includes('node_modules');
}
