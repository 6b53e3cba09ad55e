import { join } from 'node:path';
import { putListsOf } from '../../local/local-ports.ts';
import type { CliWorld } from '../world.ts';

/** The folder for the copies of what a call replaces in a workspace. */
export function savedFolder({ now }: Pick<CliWorld, 'now'>, root: string): string {
  return join(putListsOf(root), now().toISOString().replaceAll(/[:.]/g, '-'));
}
