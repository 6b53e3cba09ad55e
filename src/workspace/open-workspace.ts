import { createHash } from 'node:crypto';
import { realpath, stat, access } from 'node:fs/promises';
import { join, delimiter, isAbsolute } from 'node:path';
import { GatelineError, isSystemError, messageOf } from '../errors/gateline-error.ts';
import type { Environment } from '../environment.ts';
import type { WorkspaceSettings } from '../pipeline/pipeline.ts';
import { FolderWorkspace } from './folder-workspace.ts';
import { findRepository } from './git/repository.ts';
import type { TreeSetup } from './slots/furnish-slot.ts';
import { treesFolder } from './slots/trees-folder.ts';
import type { Workspace } from './workspace.ts';
import { constants } from 'node:fs';

/** What {@link openWorkspace} is told. */
export interface WorkspaceOptions {
  /** The caller's environment: git runs with it, without what would point it elsewhere. It should hold no secrets of gates. */
  readonly environment: Environment;
  /** Absolute path of the folder for git objects and indexes of our own: `.state/git`, as a rule. */
  readonly store: string;
  /** Folder for work trees as the pipeline says it; see {@link treesFolder}. Each workspace has one of its own below it. */
  readonly trees?: string | undefined;
  /** What work trees get of the user's installed packages. Default `none`. */
  readonly link?: WorkspaceSettings['link'];
  /** Lists of globs of all gates: what they can match is never linked. */
  readonly declared?: readonly (readonly string[])[];
  /** The command that sets a work tree up, and how it is started. */
  readonly setup?: TreeSetup | undefined;
  /** `local`: a person's folder, which only {@link Workspace.put} changes. `job`: a CI job's checkout. Default `local`. */
  readonly kind?: 'local' | 'job';
  /** Nothing is written to `store`: for those who only look. Default false. */
  readonly readOnly?: boolean;
  /** Name or path of git. Default `git`. */
  readonly git?: string;
  /** Milliseconds after which a git command is ended. Default 600,000. */
  readonly gitTimeoutMs?: number;
  /** Bytes of the largest file that is handed on. Default 104,857,600 (100 MiB). */
  readonly maxFileBytes?: number;
  /** How many files a gate may hand on. Default and upper limit 10,000, what a record holds. */
  readonly maxFiles?: number;
  /** Default: the clock of the system. */
  readonly now?: () => Date;
  /** Called after each change to a work tree of ours; crash tests end the process there. */
  readonly onDurable?: ((what: string) => void) | undefined;
  /** Bytes of the largest untracked file; ten times that in total. Default 100,000,000. */
  readonly maxUntracked?: number;
}

const MOST_FILES = 10_000;
const MOST_BYTES = 100 * 1_024 ** 2;
const MOST_UNTRACKED = 100_000_000;

/**
 * The files below `root`: as git sees them when `root` lies in a git work tree (it need not be its top), else a
 * plain folder.
 *
 * @param root an existing folder
 * @throws GatelineError `WORKSPACE_MISSING` when it is no folder; `GIT_NOT_FOUND`, `GIT_TOO_OLD`, `GIT_UNSAFE_DIRECTORY` or
 *   `GIT_FAILED` when git cannot be used there
 */
export async function openWorkspace(root: string, options: WorkspaceOptions): Promise<Workspace> {
  const place = await realFolder(root);
  const { environment, gitTimeoutMs } = options;
  const binary = await resolveGit(options.git ?? 'git', environment);
  const git = { binary, environment, ...(gitTimeoutMs !== undefined && { timeoutMs: gitTimeoutMs }) };
  const repository = await findRepository(place, git);
  // A job works in its checkout.
  const trees =
    options.kind === 'job'
      ? options.store
      : await treesFolder({
          setting: options.trees,
          environment,
          workspace: place,
          repository: repository?.top ?? place,
        });
  const id = createHash('sha256').update(place).digest('hex').slice(0, 16);
  return new FolderWorkspace({
    root: place,
    repository,
    git,
    store: options.store,
    trees: join(trees, id),
    link: options.link ?? 'none',
    declared: options.declared ?? [],
    setup: options.setup,
    kind: options.kind ?? 'local',
    readOnly: options.readOnly ?? false,
    now: options.now ?? (() => new Date()),
    onDurable: options.onDurable ?? (() => undefined),
    limits: {
      bytes: options.maxFileBytes ?? MOST_BYTES,
      files: Math.min(options.maxFiles ?? MOST_FILES, MOST_FILES),
    },
    maxUntracked: options.maxUntracked ?? MOST_UNTRACKED,
  });
}

async function realFolder(root: string): Promise<string> {
  try {
    const place = await realpath(root);
    if ((await stat(place)).isDirectory()) return withoutLineBreak(place);
  } catch (error) {
    if (error instanceof GatelineError) throw error;
    if (!isSystemError(error, 'ENOENT')) {
      throw new GatelineError('WORKSPACE_UNREADABLE', `The folder ${root} cannot be opened: ${messageOf(error)}`, {
        hint: 'Check the permissions of the folder and of those above it.',
        cause: error,
      });
    }
  }
  throw new GatelineError('WORKSPACE_MISSING', `There is no folder ${root}.`);
}

/** git tells where its files lie in lines. */
function withoutLineBreak(place: string): string {
  if (!place.includes('\n')) return place;
  throw new GatelineError('WORKSPACE_UNREADABLE', `The path ${JSON.stringify(place)} contains a line break.`, {
    hint: 'Give the folder another name.',
  });
}

/**
 * The absolute path of git, by the PATH as it is now: what an agent puts on the PATH later is not run. A name that is
 * not found there is answered as it is; running it then says so.
 */
async function resolveGit(name: string, environment: Environment): Promise<string> {
  if (isAbsolute(name) || process.platform === 'win32') return name;
  for (const folder of (environment['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, name);
    if (!isAbsolute(path)) continue;
    try {
      await access(path, constants.X_OK);
      return path;
    } catch {
      // Not here, or not for us: the next folder may have it.
    }
  }
  return name;
}
