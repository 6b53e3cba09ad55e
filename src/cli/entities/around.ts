import { basename, delimiter, dirname, relative, sep } from 'node:path';
import { AGENT_VARIABLES, GIT_CEILING, type Environment } from '../../environment.ts';
import { digestOfJson } from '../../json/canonical-json.ts';
import { hexOf } from '../../json/digest.ts';
import { openFilesystemStore } from '../../store/filesystem/filesystem-store.ts';
import { loadPipeline, type LoadedPipeline } from '../../local/load-pipeline.ts';
import type { CommandInvocation } from '../command.ts';
import { loadFor } from '../project/open.ts';
import { STATE_FOLDER, stateRoot } from '../../local/local-ports.ts';

/** The agent inside of which a process runs. */
interface AgentAround {
  /** Absolute path of the workspace of its run. */
  readonly root: string;
  /** Name of the folder of its subject. */
  readonly subject: string;
  /** Absolute path of its work tree; `undefined`: it may work in the user's folder. */
  readonly tree: string | undefined;
}

/** `<workspace>/.state[/<pipeline>]/attempts|commands/<subject>/<run>/<attempt>/request.json` */
function agentAround(environment: Environment): AgentAround | undefined {
  const request = environment[AGENT_VARIABLES.request];
  if (request === undefined) return undefined;
  const subject = dirname(dirname(dirname(request)));
  const kind = dirname(subject);
  if (!['attempts', 'commands'].includes(basename(kind))) return undefined;
  const state = [dirname(kind), dirname(dirname(kind))].find((folder) => basename(folder) === STATE_FOLDER);
  if (state === undefined) return undefined;
  const [tree] = (environment[GIT_CEILING] ?? '').split(delimiter);
  return { root: dirname(state), subject: basename(subject), tree: tree === '' ? undefined : tree };
}

/** What a command about entities works with. */
interface AroundLoaded {
  /** As found from the working directory. */
  readonly found: LoadedPipeline;
  /** With the state; differs from `found` inside an agent that works in a tree of its own. */
  readonly loaded: LoadedPipeline;
  /** With the subject of the run, inside one of its agents. */
  readonly inRun: CommandInvocation;
}

/**
 * The pipeline of an invocation: inside an agent that of its run, with the run's subject.
 * @throws GatelineError as {@link loadFor}
 */
export async function loadAround(invocation: CommandInvocation): Promise<AroundLoaded> {
  const { world, options } = invocation;
  const found = await loadFor(invocation, 'without-gates');
  const loaded = await ofWorkspace(found, world.environment);
  const subject = options['subject'] ?? (await subjectAround(loaded, world.environment));
  return {
    found,
    loaded,
    inRun: { ...invocation, options: { ...options, ...(subject !== undefined && { subject }) } },
  };
}

/**
 * The definition and the state of the workspace, for a process inside an agent that works in a tree of its own: what is
 * recorded below the tree would be gone with it.
 * @param loaded as found from the working directory
 * @throws GatelineError as {@link loadPipeline}
 */
async function ofWorkspace(loaded: LoadedPipeline, environment: Environment): Promise<LoadedPipeline> {
  const around = agentAround(environment);
  if (around?.tree === undefined || !isBelow(around.tree, loaded.root)) return loaded;
  return loadPipeline(around.root, loaded.isDefault ? undefined : relative(loaded.root, loaded.path));
}

/** The subject of the run inside of whose agent this process runs; `undefined`: none that is known. */
async function subjectAround(loaded: LoadedPipeline, environment: Environment): Promise<string | undefined> {
  const around = agentAround(environment);
  if (around?.root !== loaded.root) return undefined;
  const files = { root: stateRoot(loaded), workspace: loaded.root, readOnly: true };
  const subjects = await (await openFilesystemStore(files)).subjects(loaded.pipeline.id);
  return subjects.find((subject) => hexOf(digestOfJson(subject)).startsWith(around.subject));
}

function isBelow(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder + sep);
}
