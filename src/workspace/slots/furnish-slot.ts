import { join } from 'node:path';
import type { Environment } from '../../environment.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { WorkspaceSettings } from '../../pipeline/pipeline.ts';
import { exclusionOf, findDependencyFolders, linkDependencies } from '../dependencies/link-dependencies.ts';
import type { Globs } from '../files/globs.ts';
import { splitNames } from '../files/path-bytes.ts';
import { runSetup, type StartSetup } from './setup.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import type { CheckoutRequest } from '../workspace.ts';
import type { Slot } from './slots.ts';

/** The command that sets up a work tree. */
export interface TreeSetup {
  readonly command: string;
  readonly shell: string;
  /** The caller's environment, and the names in it that are secrets of gates. */
  readonly environment: Environment;
  readonly secrets: readonly string[];
  readonly start: StartSetup;
}

/** Additions to a work tree besides the files of its tree. */
export interface Furnishing {
  readonly store: ObjectStore;
  /** Path of the workspace below the top. */
  readonly prefix: string;
  readonly link: WorkspaceSettings['link'];
  /** Globs of all gates. */
  readonly declared: readonly Globs[];
  readonly setup: TreeSetup | undefined;
}

/** Files that were added to a work tree. */
export interface Furnished {
  /** Paths from the top below which there are links. */
  readonly links: readonly string[];
  /** Paths from the top that the setup command created and git ignores: they are kept between attempts. */
  readonly kept: readonly string[];
  readonly notices: readonly string[];
}

/** Adds everything to a slot except its files: links first, since the setup command may use them. */
export async function furnish(
  slot: Slot,
  files: readonly string[],
  furnishing: Furnishing,
  follow: CheckoutRequest['setup'],
): Promise<Furnished> {
  const { links, notices } = await linkInto(slot, files, furnishing);
  const kept = (await setUp(slot, furnishing, follow)) ?? slot.state.kept ?? [];
  return { links, notices, kept: kept.filter((path) => !links.includes(path)) };
}

/**
 * Links the user's installed packages into a slot. Changes by agents to links of an earlier attempt are undone.
 * @param files paths from the top, of the user's version and of the attempt's
 */
async function linkInto(
  slot: Slot,
  files: readonly string[],
  furnishing: Furnishing,
): Promise<Omit<Furnished, 'kept'>> {
  const { store, prefix, link, declared } = furnishing;
  if (link === 'none') return { links: [], notices: [] };
  const globs = declared.map(({ prefixes }) => ({ prefixes: prefixes.map((one) => prefix + one) }));
  const { linked, warnings } = await linkDependencies({
    from: store.top,
    to: slot.folder,
    link:
      link === 'dependencies'
        ? link
        : link.map((glob) => (glob.startsWith('!') ? `!${prefix}${glob.slice(1)}` : prefix + glob)),
    excluded: exclusionOf(files, globs),
    folders: link === 'dependencies' ? await findDependencyFolders(store.top, files) : [],
  });
  return { links: linked, notices: warnings.map(({ path, why }) => `${path} ${why}`) };
}

/**
 * Runs the setup command in a slot, once.
 * @returns paths from the top that it created and git ignores; `undefined` if it ran before
 * @throws GatelineError `SETUP_FAILED`, `SETUP_CANCELLED`
 */
async function setUp(
  slot: Slot,
  { store, prefix, setup }: Furnishing,
  follow: CheckoutRequest['setup'],
): Promise<readonly string[] | undefined> {
  if (setup === undefined) return [];
  const ran = await runSetup({
    ...setup,
    from: store.top,
    to: slot.folder,
    workingDirectory: join(slot.folder, prefix),
    folder: join(slot.path, 'setup'),
    signal: follow?.signal ?? new AbortController().signal,
    onLine: follow?.onLine ?? (() => undefined),
    redact: follow?.redact ?? ((text) => text),
  });
  if (ran === 'current') return undefined;
  if (ran === 'cancelled') {
    throw new GatelineError('SETUP_CANCELLED', 'the setup command of the work tree was stopped');
  }
  const { out } = await store.git(['ls-files', '--others', '--ignored', '--exclude-standard', '--directory', '-z'], {
    index: slot.index,
    folder: slot.folder,
  });
  return splitNames(out).map((path) => path.replace(/\/$/, ''));
}
