import { expect, it } from 'vitest';
import { CAREFUL, runScenario } from './scenario.ts';

/** `node test/oracle/fuzz.ts` runs as many as you like. */
const COUNT = 25;
/** Other seeds in each run of a developer's tests: `node test/oracle/fuzz.ts SEED 1` repeats one. */
const rotating = 1_000_000 + (Date.now() % 1_000_000_000);
/** In CI a change is not refused for a rare fault that it did not make: there the seeds are the same each time. */
const starts: readonly (readonly [string, number])[] =
  process.env['CI'] === undefined
    ? [
        ['known seeds', 1],
        ['new seeds', rotating],
      ]
    : [
        ['known seeds', 1],
        ['more known seeds', 1_001],
      ];

/**
 * A run that is closed while a decision is carried out, a review whose target has no legs, and a gate without legs between
 * a gate with files and one that reads them.
 */
it.each([91_343, 91_590, 139_681])('makes no fault in a scenario that found one before: seed %d', async (seed) => {
  const { oracle } = await runScenario(seed, CAREFUL);
  expect(oracle.faults).toEqual([]);
});

it.each(starts)(
  'uses no stale output, starts no agent without need and keeps what users wrote: %s from %d',
  async (_, first) => {
    for (let seed = first; seed < first + COUNT; seed += 1) {
      const { oracle } = await runScenario(seed, CAREFUL);
      expect(oracle.faults, `seed ${seed}`).toEqual([]);
    }
  },
);

/** Each in a folder of its own: with git, an engine that SIGKILL ends, agents as processes. */
it.each([process.env['CI'] === undefined ? rotating : 5])(
  'does so on a disk too, with git and processes that are killed: seed %d',
  async (seed) => {
    const { oracle } = await runScenario(seed, { ...CAREFUL, git: true });
    expect(oracle.faults).toEqual([]);
  },
  600_000,
);
