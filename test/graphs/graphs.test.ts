import { describe, expect, test } from 'vitest';
import { bySize, numbersFrom, printSeed, SEED } from '../support/test-size.ts';
import { GraphOracle } from './graph-oracle.ts';
import { GraphWorld } from './graph-world.ts';
import { madeUpGraph, pick } from './made-up-graph.ts';

/**
 * Random graphs of 5 to 30 gates on real files, over several runs of two subjects with edits between and during them and engines that are
 * killed, against a brute-force model: no agent sees a disk that is not its request, no gate runs that need not, nothing
 * stale is reused, and the user's folder stays as it is.
 */
const GRAPHS = bySize({ sample: 1, full: 5, soak: 1_000 });
const RUNS = 4;

/** Each of them has runs of its own; what one has made, the other reuses. */
const SUBJECTS = ['main', 'feature/one'] as const;

/** Seeds of graphs that failed once. */
const FAILED_ONCE: readonly number[] = [];

describe('a random graph', () => {
  printSeed();
  const seeds = [...FAILED_ONCE, ...Array.from({ length: GRAPHS }, (_, index) => (SEED + index) | 0)];
  test.each(seeds)('runs as the model says (seed %i)', { timeout: 600_000 }, async (seed) => {
    const random = numbersFrom(seed);
    const graph = madeUpGraph(random);
    const oracle = new GraphOracle(graph);
    using world = new GraphWorld(graph, random);
    for (let number = 0; number < RUNS; number += 1) {
      const edits = random() < 0.4;
      const kill = random() < 0.2;
      const subject = pick(random, SUBJECTS);
      const user = world.files();
      const before = world.everything();
      const { runs, result, finished, planned } = await world.run({ edits, kill, subject });
      if (!edits) expect(world.everything()).toEqual(before);
      expect(runs.filter(({ disagreements }) => disagreements.length > 0)).toEqual([]);
      const started = runs.map(({ gate }) => gate);
      expect(new Set(started).size, 'no agent starts twice').toBe(started.length);
      const requests = new Map(runs.map(({ gate, request }) => [gate, request]));
      const expected = oracle.run(user, requests, result === undefined ? finished : undefined);
      const reasons = planned.map(({ key, choice, reason }) => `${key} ${choice}: ${reason}`).join('\n');
      if (result === undefined) {
        expect([...expected.started], reasons).toEqual(expect.arrayContaining(started));
      } else {
        expect(new Set(started), reasons).toEqual(expected.started);
        const done = [...result.state.units.values()].filter((unit) => unit.done).map(({ key }) => key);
        expect(new Set(done), reasons).toEqual(expected.done);
      }
      const edit = Math.floor(random() * 4);
      for (let at = 0; at < edit; at += 1) world.edit();
    }
  });
});
