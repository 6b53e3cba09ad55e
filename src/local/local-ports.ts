import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { arch, platform } from 'node:process';
import type { Agent } from '../agent/agent.ts';
import { createAttemptFiles } from '../agent/process/attempt-directory.ts';
import { createProcessAgent } from '../agent/process/process-agent.ts';
import { toolVersion } from '../agent/process/tool-version.ts';
import type { EnginePorts, PastRuns, PutLists } from '../engine/ports.ts';
import { withoutNamed, type Environment } from '../environment.ts';
import { isWrittenBy } from '../formats/formats.ts';
import { keptSubject } from '../history/entry.ts';
import { gatesOf, runsOf } from '../history/query.ts';
import { takeLock, type EngineLock } from '../store/filesystem/lock/engine-lock.ts';
import { openFilesystemStore } from '../store/filesystem/filesystem-store.ts';
import { HistoryFiles } from '../store/filesystem/history/history-files.ts';
import { entitiesLock } from '../store/filesystem/lock/entities-lock.ts';
import { isAlive, isRunningHere, processIdentity } from '../store/filesystem/lock/process-identity.ts';
import type { RecordStore } from '../store/record-store.ts';
import { DEFAULT_WORKSPACE, type Pipeline, type UnderReview } from '../pipeline/pipeline.ts';
import { openWorkspace } from '../workspace/open-workspace.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { createDatabaseSnapshots } from './database-snapshots.ts';
import { everyRecord } from './every-record.ts';
import { fileOf, type LoadedPipeline } from './load-pipeline.ts';
import { GatelineError } from '../errors/gateline-error.ts';
import { isFromSystem } from '../errors/store-errors.ts';
import { openBranches } from '../workspace/folder/branch-commits.ts';
import { withReportedMetrics } from './reported-metrics.ts';
import { gitIn } from '../workspace/git/git.ts';

/** Name of the folder that contains everything local. */
export const STATE_FOLDER = '.state';

/** Absolute path of the folder with the lists of what was written into the user's folder. */
export function putListsOf(root: string): string {
  return join(root, STATE_FOLDER, 'applied');
}

/** Observes durable operations. */
export interface Durable {
  /** Called after each durable operation with its description; crash tests end the process there. */
  readonly onDurable?: (what: string) => void;
}

/** What determines where a pipeline's state is stored. */
export type StatePlace = Pick<LoadedPipeline, 'root' | 'isDefault'> &
  Partial<Pick<LoadedPipeline, 'path'>> & {
    readonly pipeline: Pick<Pipeline, 'id'> & Partial<Pick<Pipeline, 'workspace' | 'gates' | 'snapshots' | 'mirror'>>;
  };

/** Absolute path of a pipeline's state: that of a file without a default name is in a folder of its own. */
export function stateRoot(place: StatePlace): string {
  const root = join(place.root, STATE_FOLDER);
  return place.isDefault ? root : join(root, place.pipeline.id);
}

/**
 * Where a file for the user is written before it gets its name. Not next to it, if there is a state folder that can be
 * written: what a killed process leaves there is removed later.
 */
export async function besideState(place: StatePlace): Promise<{ readonly temporaryFolder?: string }> {
  const temporaryFolder = join(stateRoot(place), 'tmp');
  try {
    await access(temporaryFolder, constants.W_OK);
    return { temporaryFolder };
  } catch (error) {
    if (isFromSystem(error)) return {};
    throw error;
  }
}

/** The options of {@link localPorts}. */
export interface LocalPortsOptions extends Durable {
  readonly place: StatePlace;
  /** What agents inherit, and where secrets and variables are read from: usually `process.env`. */
  readonly environment: Environment;
  /**
   * Create, move and write nothing: for read-only commands. What such a command computes is kept in a temporary folder,
   * which disposing of `workspace` removes. Default false.
   */
  readonly readOnly?: boolean;
  /** Default: the system clock. */
  readonly now?: () => Date;
  /** Where records and contents are stored. Default: files below {@link stateRoot}. */
  readonly store?: RecordStore;
  /** Aborted when the user wants to stop: see `WorkspaceOptions`. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The engine's ports on this machine: the workspace at `place.root`, files below `.state/`, agents as processes.
 * @throws GatelineError `STATE_ESCAPES`, `STORE_READ_FAILED`, `STORE_WRITE_FAILED`, `WORKSPACE_MISSING`, `GIT_FAILED`
 */
export async function localPorts(options: LocalPortsOptions): Promise<EnginePorts> {
  const { place, environment, readOnly = false } = options;
  const root = stateRoot(place);
  const durable = options.onDurable === undefined ? {} : { onDurable: options.onDurable };
  const agent = createProcessAgent();
  const files = { root, workspace: place.root, readOnly, reserve: true, readsOnce: true, ...durable };
  const [workspace, opened, me] = await Promise.all([
    openLocalWorkspace(options, agent),
    options.store === undefined ? openFilesystemStore(files) : undefined,
    processIdentity(),
  ]);
  return {
    workspace,
    putLists: putListsFor(place, root, (options.store ?? opened)!),
    branches: openBranches(workspace.root, join(place.root, STATE_FOLDER, 'git'), {
      binary: workspace.git,
      environment: forGit(options),
      signal: options.signal,
    }),
    store: (options.store ?? opened)!,
    ...(opened && { checkpoints: opened.checkpoints }),
    ...(opened && { decisionsIn: (...run) => opened.decisionsIn(...run) }),
    ...(opened && !readOnly && { history: historyIn(place, durable) }),
    ...(opened && { pastRuns: pastRunsIn(historyIn(place)) }),
    spending: new Map(),
    ...(opened && { everyRecord: () => everyRecord(place.root, join(place.root, STATE_FOLDER)) }),
    ...databasePort(options, agent),
    agent,
    attempts: withReportedMetrics(createAttemptFiles({ root: join(root, 'attempts'), ...durable })),
    commands: createAttemptFiles({ root: join(root, 'commands'), ...durable }),
    now: options.now ?? (() => new Date()),
    me,
    isGone: async (writer) => !(await isAlive(writer)),
    exclusively: entitiesLock(join(root, 'commands'), me, durable),
    processes: { place: { host: me.host, boot: me.boot }, isRunning: isRunningHere },
    environment,
    underReview: () => headCommit(place.root, environment),
    platform: { os: platform, arch },
    toolVersion: (command) => toolVersion(command, { workingDirectory: place.root, signal: options.signal }),
  };
}

/** @param root of the state, whose records `store` has */
function putListsFor(place: StatePlace, root: string, store: RecordStore): PutLists {
  const { isDefault, path, pipeline } = place;
  // Without a path, the command that a hint shows is not known; that its records are apart is.
  const file = isDefault ? undefined : path === undefined ? pipeline.id : fileOf({ root: place.root, path });
  return {
    folder: putListsOf(place.root),
    file,
    recordsOf: async (put) => {
      const from = stateRoot({ root: place.root, isDefault: put.file === undefined, pipeline: { id: put.pipeline } });
      const files = { root: from, workspace: place.root, readOnly: true };
      return (from === root ? store : await openFilesystemStore(files)).list(put.pipeline, put.subject);
    },
  };
}

/** The history of a workspace: one for all its pipelines. */
export function historyIn({ root, path }: Pick<StatePlace, 'root' | 'path'>, durable: Durable = {}): HistoryFiles {
  const definition = path === undefined ? {} : { definition: fileOf({ root, path }) };
  return new HistoryFiles({ root: join(root, STATE_FOLDER), workspace: root, ...definition, ...durable });
}

function pastRunsIn(history: HistoryFiles): PastRuns {
  return {
    gates: (pipeline) => gatesOf(history, { pipeline }),
    subjectsSince: async (pipeline, time) => {
      const open = (await history.open()).filter((one) => one.pipeline === pipeline);
      const ended = [...runsOf(history, { pipeline })].filter((entry) => entry.ended >= time);
      return new Set([...open.map(({ subject }) => keptSubject(subject)), ...ended.map(({ subject }) => subject)]);
    },
  };
}

function databasePort(
  { place, environment, signal = new AbortController().signal, onDurable }: LocalPortsOptions,
  agent: Agent,
): Pick<EnginePorts, 'database'> {
  const settings = place.pipeline.snapshots?.database;
  if (settings === undefined) return {};
  const { shell } = place.pipeline.workspace ?? DEFAULT_WORKSPACE;
  const root = stateRoot(place);
  const secrets = (place.pipeline.gates ?? []).flatMap((gate) => gate.secrets);
  const folders = { workspace: place.root, folder: join(root, 'snapshots'), attempts: join(root, 'attempts') };
  const durable = { onDurable: onDurable ?? (() => undefined) };
  return {
    database: createDatabaseSnapshots({ settings, shell, ...folders, agent, environment, secrets, signal, ...durable }),
  };
}

/** git does not receive the gates' secrets: filters are programs that it starts. */
function forGit({ place: { pipeline }, environment }: LocalPortsOptions): Environment {
  const secrets = (pipeline.gates ?? []).flatMap((gate) => gate.secrets);
  return withoutNamed(environment, secrets);
}

/** The files of a pipeline on this machine. */
async function openLocalWorkspace(options: LocalPortsOptions, agent: Agent): Promise<Workspace> {
  const { place, environment, readOnly = false, onDurable, now, signal } = options;
  const { root, pipeline } = place;
  const { workspace, gates = [] } = pipeline;
  const secrets = gates.flatMap((gate) => gate.secrets);
  const declared = gates.flatMap(({ inputs, files }) => [inputs, files === 'changed' ? undefined : files]);
  return openWorkspace(root, {
    environment: forGit(options),
    store: join(root, STATE_FOLDER, 'git'),
    trees: workspace?.trees,
    link: workspace?.link ?? 'none',
    generated: (path) => isWrittenBy(pipeline.mirror ?? [], path),
    declared: declared.filter((globs) => globs !== undefined && globs.length > 0) as string[][],
    readOnly,
    onDurable,
    signal,
    ...(now && { now }),
    ...(workspace && { maxUntracked: workspace.maxUntracked }),
    ...(workspace?.setup !== undefined && {
      setup: {
        command: workspace.setup,
        shell: workspace.shell,
        environment,
        secrets,
        start: (task) => agent.run(task),
      },
    }),
  });
}

/**
 * Takes the lock on a workspace: only one engine runs at a time. Release it with `await using` or `release()`.
 * @param root absolute path of the workspace
 * @throws GatelineError `ENGINE_BUSY`, immediately, if another process has it
 */
export async function lockWorkspace(root: string, durable: Durable = {}): Promise<EngineLock> {
  return takeLock(join(root, STATE_FOLDER), await processIdentity(), isAlive, durable);
}

/** The commit that the workspace has checked out, with its author by email address and by name. */
async function headCommit(root: string, environment: Environment): Promise<UnderReview> {
  try {
    const git = gitIn(root, { binary: 'git', environment });
    const answer = await git(['log', '-1', '--format=%H%x00%ae%x00%an', 'HEAD'], { answers: [0, 128] });
    const [commit = '', ...authors] = answer.out.toString('utf8').trimEnd().split('\0');
    if (commit !== '') return { commit, authors: authors.filter((name) => name !== '') };
  } catch (error) {
    if (!(error instanceof GatelineError)) throw error;
  }
  return { commit: undefined, authors: [] };
}
