import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readIfThere, type ScratchWorkspace } from '../support/scratch-workspace.ts';
import { bySize, IS_FULL, numbersFrom, SEED, someOf, spread } from '../support/test-size.ts';
import {
  atATime,
  DYING,
  goOn,
  imagesOf,
  killAfter,
  killPoints,
  numbersTo,
  type Images,
  type Undisturbed,
} from './kill-points.ts';
import { smallPipeline } from './small-pipeline.ts';

const NEVER = 1_000_000;
const LONG = { timeout: 3_600_000 };

let pristine: ScratchWorkspace;
let first: ScratchWorkspace;
let images: Images;
let expected: Undisturbed;

beforeAll(async () => {
  pristine = await smallPipeline();
  first = await pristine.copy();
  images = await imagesOf(first, {});
  expected = images.outcome;
});
afterAll(async () => {
  await first[Symbol.asyncDispose]();
  await pristine[Symbol.asyncDispose]();
});

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
    it('has the starts that it should have when nothing disturbs it, and changes files only when they are applied', async () => {
      expect(expected.starts).toEqual(['check/left', 'check/right', 'merge', 'plan', 'report', 'review', 'review']);
      expect(expected.files).toEqual(await pristine.files());
      const applied = await first.gateline(['apply']);
      expect(applied, applied.stderr).toMatchObject({ code: 0 });
      const files = await first.files();
      expect(Object.keys(files)).toEqual(
        [
          ...Object.keys(expected.files).filter((path) => path !== 'src/gone.txt'),
          'out/plan.txt',
          'out/review.txt',
          'report/summary.txt',
        ].toSorted(),
      );
      expect(files['src/tool.sh']).toMatch(/^755 /);
    });

    it('goes on to the same end from what is on disk after each of its durable operations', LONG, async () => {
      expect(images.count).toBeGreaterThan(60);
      const every = numbersTo(images.count);
      const points = spread(every, bySize({ sample: 4, full: every.length / 2, soak: Infinity }));
      await atATime(2, points, async (k) => {
        await using workspace = await images.open(k);
        const before = await workspace.startedGates();
        const after = await goOn({ workspace, done: await workspace.satisfied() }, expected, {}, 'in process');
        expectFewStarts([...before, ...after], 1);
      });
      console.log(`six small gates: went on from ${points.length} of ${images.count} points to the same end`);
    });

    it('does so when it is killed there by SIGKILL', LONG, async () => {
      const points = someOf(killPoints(images.count), 1);
      await atATime(2, points, async (k) => {
        await using workspace = await pristine.copy();
        const killed = await killAfter(workspace, k, {});
        // Gates side by side do not always come to the same number of operations.
        if (killed.result.signal === null) expect(killed.operations.length).toBeLessThan(k);
        else expect(killed.result.signal).toBe('SIGKILL');
        const before = await workspace.startedGates();
        const after = await goOn(killed, expected, {});
        expectFewStarts([...before, ...after], 1);
      });
      console.log(`six small gates: killed after operation ${points.join(', ')}; seed ${SEED}`);
    });

    it('goes on to the same end from moments in between, and then has nothing left to do', LONG, async () => {
      const random = numbersFrom(SEED);
      const moments = Array.from({ length: bySize({ sample: 1, full: 8, soak: 200 }) }, () => ({
        operations: Math.floor(random() * images.count),
        delay: random() * 40,
      }));
      let killed = 0;
      await atATime(2, [...moments.entries()], async ([index, moment]) => {
        await using workspace = await pristine.copy();
        if (await killFromOutside(workspace, moment.operations, moment.delay)) killed += 1;
        const before = await workspace.startedGates();
        const after = await goOn({ workspace, done: await workspace.satisfied() }, expected, {});
        expectFewStarts([...before, ...after], 1);
        if (index % 4 === 0) {
          expect(await goOn({ workspace, done: await workspace.satisfied() }, expected, {})).toEqual([]);
        }
      });
      console.log(`six small gates: ${killed} of ${moments.length} runs were killed from outside; seed ${SEED}`);
      if (IS_FULL) expect(killed).toBeGreaterThan(3);
    });

    it('goes on to the same end when the call that goes on is killed too, and the one after it', LONG, async () => {
      const random = numbersFrom(SEED + 77);
      const count = bySize({ sample: 1, full: 4, soak: 60 });
      const chains = Array.from({ length: count }, () =>
        Array.from({ length: 3 }, () => 1 + Math.floor(random() * 30)),
      );
      await atATime(2, chains, async (chain) => {
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
      });
      console.log(`six small gates: killed in turn after operations ${chains.join(' | ')}; seed ${SEED}`);
    });
  },
);
