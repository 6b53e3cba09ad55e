import { mkdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { goOn, killAfter, undisturbed, upwards } from './kill-points.ts';

/** Whether every agent works each time. The default saves nothing but time; see remembered-agents.ts. */
const WHOLE = process.env['CRASH_AGENTS'] === 'whole';

describe.runIf(process.platform !== 'win32')('examples/web-tests, killed after its k-th durable operation', () => {
  it(
    'goes on to the same exports and files, for every k, and starts nothing again that was done',
    { timeout: 1_200_000 },
    async () => {
      await using pristine = await ScratchWorkspace.ofExample([['valid: 3', 'valid: 1']]);
      const env = WHOLE ? {} : await remembering(pristine);
      const began = performance.now();
      const expected = await undisturbed(pristine, env);
      expect(expected.starts).toEqual(['code', 'data', 'design', 'execute', 'learn', 'map']);
      const seen = new Set<string>();
      const first = await upwards(2, async (k) => {
        await using workspace = await pristine.copy();
        const killed = await killAfter(workspace, k, env);
        if (killed.result.signal === null) {
          expect(killed.result.code).toBe(0);
          expect(killed.operations.length).toBeLessThan(k);
          return false;
        }
        expect(killed).toMatchObject({ result: { signal: 'SIGKILL', code: null } });
        expect(killed.operations).toHaveLength(k);
        seen.add(killed.done.join(' '));
        const before = await workspace.startedGates();
        const after = await goOn(killed, expected, env);
        expect(after).toEqual(expected.starts.filter((gate) => !killed.done.includes(gate)));
        expect(before.length + after.length).toBeLessThanOrEqual(expected.starts.length + 1);
        return true;
      });
      const seconds = Math.round((performance.now() - began) / 1_000);
      console.log(`examples/web-tests: killed at ${first - 1} points, each went on to the same end (${seconds} s)`);
      // Six gates, each found not begun, begun, and done.
      expect(seen.size).toBe(7);
      expect(first).toBeGreaterThan(60);
    },
  );
});

/** Variables with which agents remember what they answered. */
async function remembering(beside: ScratchWorkspace): Promise<Record<string, string>> {
  const folder = beside.beside('remembered');
  await mkdir(folder);
  const preload = new URL('remembered-agents.ts', import.meta.url).href;
  return { REMEMBERED: folder, NODE_OPTIONS: `--import=${preload}` };
}
