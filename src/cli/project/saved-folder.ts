import { join } from 'node:path';
import type { EnginePorts } from '../../engine/ports.ts';
import { refuseUnfinished } from '../../engine/snapshots/unfinished-rollback.ts';
import { STATE_FOLDER } from '../../local/local-ports.ts';
import type { CliWorld } from '../world.ts';

/** The folder for the copies of what a call replaces in a workspace. */
export function savedFolder({ now }: Pick<CliWorld, 'now'>, root: string): string {
  const name = now().toISOString().replaceAll(/[:.]/g, '-');
  return join(root, STATE_FOLDER, 'applied', name);
}

/** {@link refuseUnfinished} for the folder of a command. */
export function refusePartlyRolledBack(
  world: Pick<CliWorld, 'now'>,
  ports: Pick<EnginePorts, 'workspace' | 'store'>,
): Promise<void> {
  return refuseUnfinished(ports, savedFolder(world, ports.workspace.root));
}
