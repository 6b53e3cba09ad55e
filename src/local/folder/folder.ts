import { exec } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { arch, platform } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createAgents } from '../../agent/process.ts';
import { createToolVersions } from '../../agent/tool-versions.ts';
import type { Database, Order, Ports } from '../../engine/ports.ts';
import type { Environment } from '../../environment.ts';
import { GatelineError, messageOf } from '../../errors.ts';
import { createHistoryEntries } from '../../history/create-history-entry.ts';
import type { HistoryEntry } from '../../history/history-entry.ts';
import { queryHistory, type History, type HistoryFilter } from '../../history/query.ts';
import type { Pipeline } from '../../pipeline/pipeline.ts';
import type { EntityEntry } from '../../run/entity/entity-log.ts';
import { MEMORY_FOLDER } from '../../run/memory.ts';
import type { AttemptRef, Entry } from '../../run/entry.ts';
import type { EngineEvent } from '../../run/events.ts';
import { fileGlobs } from '../../run/units.ts';
import { AttemptFolders, subjectSlug } from '../../store/files/attempts.ts';
import { FileCheckpoints } from '../../store/files/checkpoints.ts';
import { FileContents } from '../../store/files/contents.ts';
import { FileDocuments } from '../learnings/documents.ts';
import { FileHistory } from '../../store/files/history.ts';
import { isLocked, takeLock, type Lock } from '../../store/files/lock.ts';
import { openEntityLog, openLog, type FileLog } from '../../store/files/log.ts';
import {
  openStateFolder,
  readFileIfPresent,
  type CrashPoint,
  type StateFolder,
} from '../../store/files/state-folder.ts';
import { cloneWorkspace } from '../../workspace/clone.ts';
import { openWorkspace, type GitWorkspace } from '../../workspace/git-workspace.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { BEFORE_ROLLBACK, createDatabase, databaseFile } from './database.ts';

/**
 * How a command uses a folder. `read`: its state only. `beside`: its files too, beside a running engine. `engine`: as the
 * only engine.
 */
export type FolderAccess = 'read' | 'beside' | 'engine';

export interface FolderOptions {
  readonly root: string;
  /** Default: `.state` in the folder. */
  readonly state?: string;
  readonly pipeline: Pipeline;
  /** The definition as the caller named it; absent: it is found without a name. */
  readonly definition?: string;
  readonly access: FolderAccess;
  readonly environment: Environment;
  /** @param subject of the run, if several run side by side */
  readonly observe: (event: EngineEvent, subject?: string) => void;
  /** In a job: the first snapshot starts from the index of the checkout. */
  readonly seedIndex?: boolean;
  readonly crashPoint?: CrashPoint;
}

/** A folder with its `.state/`: the ports of the engine, and the stores behind them. */
export class Folder implements AsyncDisposable {
  readonly options: FolderOptions;
  readonly ports: Ports;
  readonly stateFolder: StateFolder;
  readonly log: FileLog<Entry>;
  readonly entities: FileLog<EntityEntry>;
  readonly checkpoints: FileCheckpoints;
  readonly contents: FileContents;
  readonly documents: FileDocuments;
  readonly #history: FileHistory;
  readonly #lock: Lock | undefined;
  readonly #workspace: GitWorkspace | undefined;

  private constructor(
    options: FolderOptions,
    stateFolder: StateFolder,
    lock: Lock | undefined,
    workspace: GitWorkspace | undefined,
  ) {
    this.options = options;
    this.stateFolder = stateFolder;
    this.#lock = lock;
    this.#workspace = workspace;
    this.#history = new FileHistory(stateFolder);
    this.checkpoints = new FileCheckpoints(stateFolder);
    this.contents = new FileContents(stateFolder);
    this.documents = new FileDocuments(options.root);
    const log = openLog(stateFolder);
    this.log = log;
    this.entities = openEntityLog(stateFolder);
    this.ports = {
      log,
      contents: this.contents,
      checkpoints: this.checkpoints,
      entities: this.entities,
      workspace: workspace ?? NO_WORKSPACE,
      agents: createAgents(),
      attempts: new AttemptFolders(stateFolder, options.pipeline.id),
      documents: this.documents,
      database: this.#database(),
      clock: { now: () => new Date() },
      environment: options.environment,
      platform: { os: platform(), arch: arch() },
      toolVersion: createToolVersions({
        workingDirectory: workspace?.root ?? options.root,
        env: options.environment,
      }),
      observe: options.observe,
    };
  }

  /** @throws GatelineError `busy` if another engine works here */
  static async open(options: FolderOptions): Promise<Folder> {
    const state = await openStateFolder(options.state ?? join(options.root, '.state'), options.crashPoint);
    const lock = options.access === 'engine' ? await takeLock(state) : undefined;
    try {
      if (options.access === 'read') return new Folder(options, state, lock, undefined);
      if (options.access === 'engine') await state.sweep();
      const workspace = await openWorkspace({
        root: options.root,
        state: state.path,
        env: options.environment,
        beside: options.access === 'beside',
        seedIndex: options.seedIndex,
        ...globsOf(options.pipeline),
      });
      return new Folder(options, state, lock, workspace);
    } catch (error) {
      await lock?.[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** A folder with the same state whose gates work in a clone, at a fixed path for each subject. */
  async openClone({ subject }: Order): Promise<Folder> {
    const { clone, isNew } = await cloneWorkspace(this.git, this.clonePath(subject));
    const { pipeline, environment } = this.options;
    const record = `${this.clonePath(subject)}.setup`;
    // `setup` runs again if it was killed or its command changed.
    if (pipeline.setup !== undefined && (isNew || String(await readFileIfPresent(record)) !== pipeline.setup)) {
      await setUpClone(pipeline.setup, clone.root, environment);
      await this.stateFolder.writeDurably(record, [pipeline.setup]);
    }
    return new Folder({ ...this.options, access: 'beside' }, this.stateFolder, undefined, clone);
  }

  /** The same folder with another observer, for one of several runs side by side. Only the original is closed. */
  observedBy(observe: FolderOptions['observe']): Folder {
    return new Folder({ ...this.options, observe }, this.stateFolder, this.#lock, this.#workspace);
  }

  clonePath(subject: string): string {
    return this.stateFolder.pathOf('clones', this.options.pipeline.id, subjectSlug(subject));
  }

  /** The workspace with its git operations. @throws GatelineError `bug` with access `read` */
  get git(): GitWorkspace {
    if (this.#workspace === undefined) throw new GatelineError('bug', 'the folder was opened to read its state only');
    return this.#workspace;
  }

  /** What an attempt left besides its entries: its folder, and the database before it. */
  pathsOf(pipeline: string, attempt: AttemptRef): readonly string[] {
    const database = databaseFile(this.stateFolder.pathOf('database', pipeline), attempt);
    return [this.attemptPath(pipeline, attempt), database, `${database}${BEFORE_ROLLBACK}`];
  }

  attemptPath(pipeline: string, attempt: AttemptRef): string {
    return new AttemptFolders(this.stateFolder, pipeline).pathOf(attempt);
  }

  async readHistory(filter?: HistoryFilter): Promise<History> {
    return queryHistory(await this.#history.read(), filter);
  }

  /** Whether a week has passed since old runs were removed. If so, the week starts again. */
  async isCleanDue(): Promise<boolean> {
    const path = this.stateFolder.pathOf('cleaned');
    const cleaned = await readFileIfPresent(path);
    const now = this.ports.clock.now();
    if (cleaned && now.getTime() - Date.parse(cleaned.toString()) < WEEK_MS) return false;
    await this.stateFolder.writeDurably(path, [now.toISOString()]);
    return cleaned !== undefined;
  }

  /** Appends what a call adds to the history. @param last the newest run that it has */
  async appendHistory({ pipeline, subject }: Order, last: HistoryEntry | undefined): Promise<void> {
    const now = this.ports.clock.now().toISOString();
    const entries = createHistoryEntries(pipeline, subject, await this.log.read(), { last, now });
    if (entries.length > 0) await this.#history.append(...entries);
  }

  /** Adds runs that the history does not have yet. @param entries the oldest first @returns how many */
  async addHistory(entries: readonly HistoryEntry[]): Promise<number> {
    const { entries: known } = await this.readHistory();
    const keyOf = ({ pipeline, subject, run }: HistoryEntry) => JSON.stringify([pipeline, subject, run]);
    const keys = new Set(known.map(keyOf));
    const added = entries.filter((entry) => !keys.has(keyOf(entry)));
    if (added.length > 0) await this.#history.append(...added);
    return added.length;
  }

  /** Whether an engine works here. Agents that survived their engine do not count. */
  async isWorkedOn(): Promise<boolean> {
    return this.#lock !== undefined || (await isLocked(this.stateFolder));
  }

  #database(): Database | undefined {
    const { pipeline, environment } = this.options;
    const commands = pipeline.snapshots.database;
    const folder = this.stateFolder.pathOf('database', pipeline.id);
    const root = this.#workspace?.root ?? this.options.root;
    const cloneOf = (subject: string) => this.clonePath(subject);
    return commands && createDatabase(commands, { folder, root, cloneOf }, environment);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.options.access === 'beside') await this.#workspace?.close();
    await this.#lock?.[Symbol.asyncDispose]();
  }
}

const WEEK_MS = 7 * 86_400_000;

/** Runs the command that prepares a new clone. */
async function setUpClone(command: string, root: string, environment: Environment): Promise<void> {
  try {
    await promisify(exec)(command, { cwd: root, env: { ...environment }, maxBuffer: 64 * 1024 ** 2 });
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string };
    await rm(root, { recursive: true, force: true });
    throw new GatelineError(
      'failed',
      `\`setup\` failed in the clone: ${(stderr.trim() || messageOf(error)).slice(-1_000)}`,
      {
        hint: 'Correct the command; the clone is made again.',
        cause: error,
      },
    );
  }
}

const NO_WORKSPACE = new Proxy({} as Workspace, {
  get() {
    throw new GatelineError('bug', 'the folder was opened to read its state only');
  },
});

/** The globs that decide which files a snapshot has. State files of other systems are never inputs. */
function globsOf({ gates, ignore }: Pipeline) {
  return {
    stored: gates.flatMap(fileGlobs),
    hashed: gates.flatMap(({ inputs }) => inputs ?? []),
    ignore: [...ignore, ...OTHER_STATE, `${MEMORY_FOLDER}/**`, ...documentExceptions(gates)],
  };
}

/** Documents are part of requests by their digests, not as files, except for documents that a gate makes. */
function documentExceptions(gates: Pipeline['gates']): string[] {
  const globs = gates.flatMap(fileGlobs).filter((glob) => glob.startsWith(`${MEMORY_FOLDER}/`));
  return globs.map((glob) => `!${glob}`);
}

/** State files of other systems, and files that were set aside beside them. A list, so that no format must be loaded. */
const OTHER_STATE = [
  '.claude/{orchestration,team-orchestration,deep-dive}.local.md',
  '.claude/skills/nexus/history/**',
  '.devloop/**',
].flatMap((glob) => [glob, `${glob}.*`]);
