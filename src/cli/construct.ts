import { join } from 'node:path';
import { arch, platform } from 'node:process';
import { createAttemptFiles } from '../agent/process/attempt-directory.ts';
import { createProcessAgent } from '../agent/process/process-agent.ts';
import { toolVersion } from '../agent/process/tool-version.ts';
import type { EnginePorts } from '../engine/ports.ts';
import { openFilesystemStore } from '../store/filesystem/filesystem-store.ts';
import { takeLock, type EngineLock } from '../store/filesystem/engine-lock.ts';
import { isAlive, processIdentity } from '../store/filesystem/process-identity.ts';
import { openWorkspace } from '../workspace/open-workspace.ts';
import type { LoadedPipeline } from './load-pipeline.ts';
import type { CliWorld } from './world.ts';

/** Name of the folder that holds everything local. */
export const STATE_FOLDER = '.state';

/** Absolute path of a pipeline's state: one of another file than the default has a folder of its own. */
export function stateRoot(loaded: Pick<LoadedPipeline, 'root' | 'isDefault' | 'pipeline'>): string {
  const root = join(loaded.root, STATE_FOLDER);
  return loaded.isDefault ? root : join(root, loaded.pipeline.id);
}

/** The engine's ports on this machine. `readOnly`: for commands that only look. */
export async function constructPorts(
  world: CliWorld,
  loaded: LoadedPipeline,
  options: { readOnly?: boolean } = {},
): Promise<EnginePorts> {
  const root = stateRoot(loaded);
  const durable = world.onDurable === undefined ? {} : { onDurable: world.onDurable };
  const [workspace, store, me] = await Promise.all([
    openWorkspace(loaded.root, { environment: world.environment }),
    openFilesystemStore({ root, workspace: loaded.root, readOnly: options.readOnly ?? false, ...durable }),
    processIdentity(),
  ]);
  return {
    workspace,
    store,
    agent: createProcessAgent(),
    attempts: createAttemptFiles({ root: join(root, 'attempts'), ...durable }),
    now: world.now,
    me,
    isGone: async (writer) => !(await isAlive(writer)),
    environment: world.environment,
    platform: { os: platform, arch },
    toolVersion: (command) => toolVersion(command, loaded.root),
  };
}

/** One engine a workspace at a time. @throws GatelineError `ENGINE_BUSY` */
export async function lockWorkspace(world: CliWorld, loaded: LoadedPipeline): Promise<EngineLock> {
  const durable = world.onDurable === undefined ? {} : { onDurable: world.onDurable };
  return takeLock(join(loaded.root, STATE_FOLDER), await processIdentity(), isAlive, durable);
}
