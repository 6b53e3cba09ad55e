import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readIfThere, type ScratchWorkspace } from '../support/scratch-workspace.ts';
import { DYING, goOn, killAfter, undisturbed, upwards, type Undisturbed } from './kill-points.ts';
import { smallPipeline } from './small-pipeline.ts';

const NEVER = 1_000_000;
const LONG = { timeout: 300_000 };

let pristine: ScratchWorkspace;
let expected: Undisturbed;

beforeAll(async () => {
  pristine = await smallPipeline();
  expected = await undisturbed(pristine, {});
});
afterAll(() => pristine[Symbol.asyncDispose]());

/** Numbers from 0 to below 1 that are the same for the same seed: mulberry32. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** How often each unit started. */
function counted(gates: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    Map.groupBy(gates, (gate) => gate)
      .entries()
      .map(([gate, all]) => [gate, all.length]),
  );
}

/** No unit started more often than undisturbed, and once more for each kill. */
function expectFewStarts(starts: readonly string[], kills: number): void {
  const needed = counted(expected.starts);
  for (const [gate, count] of Object.entries(counted(starts))) {
    expect(count, gate).toBeLessThanOrEqual(needed[gate]! + kills);
  }
}

/** Starts a run, waits until so much of it is durable, and a little, and kills it from outside. */
async function killFromOutside(workspace: ScratchWorkspace, operations: number, delayMs: number): Promise<boolean> {
  const log = workspace.beside('operations');
  const command = workspace.start(['run', '--json', '-q'], {
    script: DYING,
    env: { DIE_AFTER: String(NEVER), OPERATIONS: log },
  });
  const { process } = command;
  const isOn = (): boolean => process.exitCode === null && process.signalCode === null;
  while (isOn() && (await readIfThere(log)).split('\n').length <= operations) await sleep(2);
  await sleep(delayMs);
  process.kill('SIGKILL');
  return (await command.ended).signal === 'SIGKILL';
}

describe.runIf(process.platform !== 'win32')(
  'a run of gates side by side, with a retry, legs, a condition and edits of tracked files',
  () => {
    it('has the starts that it should have when nothing disturbs it', () => {
      expect(expected.starts).toEqual(['check/left', 'check/right', 'merge', 'plan', 'report', 'review', 'review']);
      expect(Object.keys(expected.files)).not.toContain('src/gone.txt');
      expect(expected.files['src/tool.sh']).toMatch(/^755 /);
    });

    it('goes on to the same end from every fourth of its durable operations', LONG, async () => {
      const began = performance.now();
      const kills = await upwards(2, async (nth) => {
        await using workspace = await pristine.copy();
        const killed = await killAfter(workspace, 4 * nth - 3, {});
        if (killed.result.signal === null) return false;
        const before = await workspace.startedGates();
        const after = await goOn(killed, expected, {});
        expectFewStarts([...before, ...after], 1);
        return true;
      });
      const seconds = Math.round((performance.now() - began) / 1_000);
      console.log(`six small gates: killed at ${kills - 1} points, each went on to the same end (${seconds} s)`);
      expect(kills).toBeGreaterThan(15);
    });

    it('goes on to the same end from twenty moments in between, and then has nothing left to do', LONG, async () => {
      const random = seeded(20_240_607);
      const moments = Array.from({ length: 20 }, () => ({
        operations: Math.floor(random() * 75),
        delay: random() * 40,
      }));
      let killed = 0;
      await upwards(2, async (nth) => {
        const moment = moments[nth - 1];
        if (moment === undefined) return false;
        await using workspace = await pristine.copy();
        if (await killFromOutside(workspace, moment.operations, moment.delay)) killed += 1;
        const before = await workspace.startedGates();
        const after = await goOn({ workspace, done: await workspace.satisfied() }, expected, {});
        expectFewStarts([...before, ...after], 1);
        if (nth % 4 === 0) {
          expect(await goOn({ workspace, done: await workspace.satisfied() }, expected, {})).toEqual([]);
        }
        return true;
      });
      console.log(`six small gates: ${killed} of ${moments.length} runs were killed from outside before they ended`);
      expect(killed).toBeGreaterThan(5);
    });

    it('goes on to the same end when the call that goes on is killed too, and the one after it', LONG, async () => {
      const random = seeded(77);
      const chains = Array.from({ length: 6 }, () => Array.from({ length: 3 }, () => 1 + Math.floor(random() * 30)));
      await upwards(2, async (nth) => {
        const chain = chains[nth - 1];
        if (chain === undefined) return false;
        await using workspace = await pristine.copy();
        const starts: string[] = [];
        for (const k of chain) {
          const done = await workspace.satisfied();
          await workspace.forgetStarts();
          await killAfter(workspace, k, {});
          const started = await workspace.startedGates();
          expect(started.filter((gate) => done.includes(gate))).toEqual([]);
          starts.push(...started);
        }
        starts.push(...(await goOn({ workspace, done: await workspace.satisfied() }, expected, {})));
        expectFewStarts(starts, chain.length);
        return true;
      });
    });
  },
);
