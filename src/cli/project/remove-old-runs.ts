import { cleanAfterRun } from '../../local/clean/clean-after-run.ts';
import { say } from '../output/say.ts';
import type { CliWorld } from '../world.ts';
import type { OpenProject } from './open.ts';

/**
 * Removes old runs at the end of a run, as `retention` requires, and prints what it removed. The caller holds the
 * workspace's lock.
 */
export async function removeOldRuns(
  { err, onDurable }: CliWorld,
  { loaded, ports }: Pick<OpenProject, 'loaded' | 'ports'>,
): Promise<void> {
  const notices = await cleanAfterRun({ loaded, ports, ...(onDurable && { onDurable }) });
  for (const notice of notices) say(err, `note: ${notice}`);
}
