import { realpath, stat, access } from 'node:fs/promises';
import { join, delimiter, isAbsolute } from 'node:path';
import { GatelineError, isSystemError, messageOf } from '../errors/gateline-error.ts';
import type { Environment } from '../environment.ts';
import type { WorkspaceSettings } from '../pipeline/pipeline.ts';
import { FolderWorkspace } from './folder-workspace.ts';
import { findRepository } from './git/repository.ts';
import type { TreeSetup } from './slots/furnish-slot.ts';
import { treesFolder, treesOf } from './slots/trees-folder.ts';
import type { Workspace } from './workspace.ts';
import { constants } from 'node:fs';

/** Options of {@link openWorkspace}. */
export interface WorkspaceOptions {
  /**
   * The caller's environment: git runs with it, without variables that would point it elsewhere. It should hold no
   * secrets of gates.
   */
  readonly environment: Environment;
  /** Absolute path of the folder for git objects and indexes of our own: usually `.state/git`. */
  readonly store: string;
  /**
   * Folder for work trees as written in the pipeline; see {@link treesFolder}. Each workspace has its own subfolder.
   */
  readonly trees?: string | undefined;
  /** Which of the user's installed packages work trees get. Default `none`. */
  readonly link?: WorkspaceSettings['link'];
  /** Lists of globs of all gates: paths that they can match are never linked. */
  readonly declared?: readonly (readonly string[])[];
  /** The command that sets up a work tree, and how to start it. */
  readonly setup?: TreeSetup | undefined;
  /**
   * `local`: a person's folder, which only {@link Workspace.put} changes. `job`: a CI job's checkout. Default `local`.
   */
  readonly kind?: 'local' | 'job';
  /** Nothing is written to `store`: for read-only use. Default false. */
  readonly readOnly?: boolean;
  /** Name or path of git. Default `git`. */
  readonly git?: string;
  /** Milliseconds after which a git command is ended. Default 600,000. */
  readonly gitTimeoutMs?: number;
  /** When aborted, git commands have a few seconds left: work that has ended is still captured. */
  readonly signal?: AbortSignal | undefined;
  /** Bytes of the largest file that is handed on. Default 104,857,600 (100 MiB). */
  readonly maxFileBytes?: number;
  /** Maximum number of files that a gate may hand on. Default and upper limit 10,000, the maximum of a record. */
  readonly maxFiles?: number;
  /** Default: the clock of the system. */
  readonly now?: () => Date;
  /** Called after each change to one of our work trees; crash tests end the process there. */
  readonly onDurable?: ((what: string) => void) | undefined;
  /** Bytes of the largest untracked file; ten times as much in total. Default 100,000,000. */
  readonly maxUntracked?: number;
  /** Paths of files that others make of the records: where git ignores one, no glob names it. Default: none. */
  readonly generated?: (path: string) => boolean;
}

const MOST_FILES = 10_000;
const MOST_BYTES = 100 * 1_024 ** 2;
const MOST_UNTRACKED = 100_000_000;

/**
 * The files below `root`: as git sees them if `root` is in a git work tree (not necessarily its top), otherwise as a
 * plain folder.
 *
 * @param root an existing folder
 * @throws GatelineError `WORKSPACE_MISSING` when it is not a folder; `GIT_NOT_FOUND`, `GIT_TOO_OLD`,
 *   `GIT_UNSAFE_DIRECTORY` or `GIT_FAILED` when git cannot be used there
 */
export async function openWorkspace(root: string, options: WorkspaceOptions): Promise<Workspace> {
  const place = await realFolder(root);
  const { environment, gitTimeoutMs, signal } = options;
  const binary = await resolveGit(options.git ?? 'git', environment);
  const git = { binary, environment, signal, ...(gitTimeoutMs !== undefined && { timeoutMs: gitTimeoutMs }) };
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
  return new FolderWorkspace({
    root: place,
    repository,
    git,
    store: options.store,
    trees: treesOf(trees, place),
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
    generated: options.generated ?? (() => false),
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

/** git lists its paths line by line. */
function withoutLineBreak(place: string): string {
  if (!place.includes('\n')) return place;
  throw new GatelineError('WORKSPACE_UNREADABLE', `The path ${JSON.stringify(place)} contains a line break.`, {
    hint: 'Give the folder another name.',
  });
}

/**
 * The absolute path of git on the current PATH, so that a program put on the PATH later by an agent is not run. A name
 * that is not found is returned unchanged; running it then reports that.
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
      // Missing or not executable: try the next folder.
    }
  }
  return name;
}
