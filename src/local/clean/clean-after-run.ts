import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GatelineError } from '../../errors/gateline-error.ts';
import { unlessAbsent } from '../../errors/store-errors.ts';
import { stateRoot } from '../local-ports.ts';
import { clean, CLEANED_FILE, type CleanOptions } from './clean.ts';

/** So long may the removal of old runs hold up the end of a run, in milliseconds. */
const LONGEST_MS = 2_000;

/**
 * Removes old runs after a run, if `retention` in gateline.yml says so and it is time. Never fails a run: what is not
 * removed now is removed the next time. The caller holds the workspace's lock.
 * @returns what a person should know: a sentence each
 */
export async function cleanAfterRun(
  options: Pick<CleanOptions, 'loaded' | 'ports' | 'onDurable'>,
  longest = LONGEST_MS,
): Promise<readonly string[]> {
  const { retention } = options.loaded.pipeline;
  const signal = AbortSignal.timeout(longest);
  const left = 'old runs are left: `gateline clean` removes them without a time limit';
  try {
    if (retention === undefined || !(await isDue(options, retention.every))) return [];
    const { removed, notices } = await clean({ ...options, rules: retention, signal });
    const number = removed.length === 1 ? '1 old run was removed' : `${removed.length} old runs were removed`;
    return [...(removed.length === 0 ? [] : [number]), ...notices, ...(signal.aborted ? [left] : [])];
  } catch (error) {
    if (signal.aborted && error === signal.reason) return [left];
    if (!(error instanceof GatelineError)) throw error;
    return [`old runs could not be removed: ${error.message}`];
  }
}

/** Also after a call that was killed. A time that cannot be read, or is in the future, says nothing. */
async function isDue({ loaded, ports }: Pick<CleanOptions, 'loaded' | 'ports'>, every: number): Promise<boolean> {
  const root = stateRoot(loaded);
  if (existsSync(join(root, 'tmp', 'removed'))) return true;
  const text = await unlessAbsent(readFile(join(root, CLEANED_FILE), 'utf8')).catch(() => undefined);
  const since = ports.now().getTime() - Date.parse(text ?? '');
  return !(since >= 0 && since < every);
}
