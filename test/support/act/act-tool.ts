import { findTool, leftOut, mustHaveTools } from '../../../scripts/workflow-tools.mjs';
import { IS_FULL } from '../test-size.ts';

/**
 * Path of act, or undefined on a machine without it. Never looked for on Windows, where it runs no workflow of ours, and
 * not in a sample: whole workflows are too slow for that.
 */
export const ACT: string | undefined = IS_FULL && process.platform !== 'win32' ? findTool('act') : undefined;

/**
 * What tests that need act do where there is none: they say so. In CI on Linux that is a failure.
 * Throws there, and tells on the console elsewhere.
 */
export function tellWithoutAct(): void {
  if (ACT !== undefined || !IS_FULL) return;
  const message = `left out: ${leftOut().find((line) => line.startsWith('no act,')) ?? 'act, on this system'}`;
  if (mustHaveTools()) throw new Error(message);
  console.warn(message);
}
