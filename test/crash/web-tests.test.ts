import { mkdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { IS_FULL, SEED } from '../support/test-size.ts';
import { atATime, goOn, imagesOf, killAfter, killPoints, undisturbed } from './kill-points.ts';

/** Whether every agent works each time. The default saves nothing but time; see remembered-agents.ts. */
const WHOLE = process.env['CRASH_AGENTS'] === 'whole';

const LONG = { timeout: 3_600_000 };

describe.runIf(IS_FULL && process.platform !== 'win32')('examples/web-tests', () => {
  it(
    'goes on to the same exports and files from what is on disk after its durable operations, and starts nothing again that was done',
    LONG,
    async () => {
      await using pristine = await ScratchWorkspace.ofExample([['valid: 3', 'valid: 1']]);
      await using first = await pristine.copy();
      const env = WHOLE ? {} : await remembering(pristine);
      const images = await imagesOf(first, env);
      const expected = images.outcome;
      expect(expected.starts).toEqual(['code', 'data', 'design', 'execute', 'learn', 'map']);
      expect(images.count).toBeGreaterThan(60);
      // Every ninth; all in a soak. kill.test.ts goes on after every operation of a run of small gates.
      const points = killPoints(images.count, 9);
      const seen = new Set<string>();
      await atATime(2, points, async (k) => {
        await using workspace = await images.open(k);
        const done = await workspace.satisfied();
        seen.add(done.join(' '));
        const before = await workspace.startedGates();
        const after = await goOn({ workspace, done }, expected, env, 'in process');
        expect(after).toEqual(expected.starts.filter((gate) => !done.includes(gate)));
        expect(before.length + after.length).toBeLessThanOrEqual(expected.starts.length + 1);
      });
      console.log(`examples/web-tests: went on from ${points.length} of ${images.count} points to the same end`);
      // Six gates, each found not begun, begun, and done.
      expect(seen.size).toBe(7);
    },
  );

  it('does so when it is killed there by SIGKILL', LONG, async () => {
    await using pristine = await ScratchWorkspace.ofExample([['valid: 3', 'valid: 1']]);
    const env = WHOLE ? {} : await remembering(pristine);
    const expected = await undisturbed(pristine, env);
    await using counting = await pristine.copy();
    const { operations } = await killAfter(counting, Infinity, env);
    const points = killPoints(operations.length, 30);
    await atATime(2, points, async (k) => {
      await using workspace = await pristine.copy();
      const killed = await killAfter(workspace, k, env);
      expect(killed).toMatchObject({ result: { signal: 'SIGKILL', code: null } });
      expect(killed.operations).toHaveLength(k);
      const before = await workspace.startedGates();
      const after = await goOn(killed, expected, env);
      expect(after).toEqual(expected.starts.filter((gate) => !killed.done.includes(gate)));
      expect(before.length + after.length).toBeLessThanOrEqual(expected.starts.length + 1);
    });
    console.log(`examples/web-tests: killed after operation ${points.join(', ')}; seed ${SEED}`);
  });
});

/** Variables with which agents remember what they answered. */
async function remembering(beside: ScratchWorkspace): Promise<Record<string, string>> {
  const folder = beside.beside('remembered');
  await mkdir(folder);
  const preload = new URL('../support/remembered-agents.ts', import.meta.url).href;
  return { REMEMBERED: folder, NODE_OPTIONS: `--import=${preload}` };
}
