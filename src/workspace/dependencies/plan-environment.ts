import { findEditableInstalls } from './editable-installs.ts';
import { entriesOf, planEntry, planFolder, planMoved, planPrograms, type DependencyEntry } from './plan-entry.ts';
import type { Mirrored, LinkPlan } from './link-plan.ts';

const PROGRAMS = new Set(['bin', 'Scripts']);
const LIBRARIES = /^lib(?:64)?$/i;
const OF_ONE_VERSION = /^(?:python|pypy)\d/;
const PACKAGES = new Set(['site-packages', 'dist-packages']);

/** The file that marks a Python environment. */
export const ENVIRONMENT_FILE = 'pyvenv.cfg';

/**
 * A Python environment: real folders down to the packages, and a link for each package. `pip install` then adds to the
 * work tree, and its programs start the work tree's Python, which finds its packages relative to its own path.
 */
export async function planEnvironment(plan: LinkPlan, folder: Mirrored): Promise<void> {
  for (const entry of await entriesOf(plan, folder)) {
    if (!entry.dirent.isDirectory()) await planTopFile(plan, entry);
    else if (PROGRAMS.has(entry.name)) await planPrograms(plan, entry);
    else if (LIBRARIES.test(entry.name)) await planLibrary(plan, entry, folder);
    else await planFolder(plan, entry);
  }
}

/**
 * git does not follow links to a `.gitignore`, and `pyvenv.cfg` may contain the environment's path: such files are
 * copied.
 */
async function planTopFile(plan: LinkPlan, entry: DependencyEntry): Promise<void> {
  if (!(await planMoved(plan, entry, true))) await planEntry(plan, entry);
}

async function planLibrary(plan: LinkPlan, library: Mirrored, environment: Mirrored): Promise<void> {
  for (const entry of await entriesOf(plan, library)) {
    const isFolder = entry.dirent.isDirectory();
    if (isFolder && OF_ONE_VERSION.test(entry.name)) await planLibrary(plan, entry, environment);
    else if (isFolder && PACKAGES.has(entry.name)) {
      plan.editable.push(...(await findEditableInstalls(entry, environment, plan.from)));
      await planFolder(plan, entry);
    } else await planEntry(plan, entry);
  }
}
