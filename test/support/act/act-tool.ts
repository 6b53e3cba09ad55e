import { findTool, leftOut, mustHaveTools } from '../../../scripts/workflow-tools.mjs';

/** Path of act, or undefined on a machine without it. Never looked for on Windows, where it runs no workflow of ours. */
export const ACT: string | undefined = process.platform === 'win32' ? undefined : findTool('act');

/**
 * What tests that need act do where there is none: they say so. In CI on Linux that is a failure.
 * Throws there, and tells on the console elsewhere.
 */
export function tellWithoutAct(): void {
  if (ACT !== undefined) return;
  const message = `left out: ${leftOut().find((line) => line.startsWith('no act,')) ?? 'act, on this system'}`;
  if (mustHaveTools()) throw new Error(message);
  console.warn(message);
}
