import fc from 'fast-check';
import { describe, it } from 'vitest';
import { drawn } from '../support/samples.ts';
import { DAMAGED, EXAMPLES } from './decision-examples.ts';
import type { Shape } from './decision-facts.ts';
import { given, repeated, reworks, shapes, steps, SUBJECTS, type Step } from './decision-stories.ts';
import { Story } from './decision-story.ts';

/** A story with the limit of its loops. */
type Limited = [Shape[], boolean, Step[], number | undefined];

describe('over random graphs, decisions, strategies, forks, loops, ages, contracts, failures, edits, kills and losses, for two subjects', () => {
  it('every call and every decision comes to what the model says', { timeout: 3_600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(shapes, given, steps, reworks, async (graph, isGiven, story, most) => {
        const told = new Story(graph, isGiven, most);
        await told.call('a');
        for (const step of story) await told.take(step);
        for (const name of SUBJECTS) await told.call(name);
      }),
      { ...drawn(300), examples: EXAMPLES.map((one): Limited => [...one, undefined]) },
    );
  });

  it('a call that was killed and is made again continues, or begins again', { timeout: 3_600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(shapes, given, repeated, reworks, async (graph, isGiven, story, most) => {
        const told = new Story(graph, isGiven, most);
        await told.call('a');
        for (const step of story) await told.take(step);
        for (const name of SUBJECTS) await told.call(name);
      }),
      drawn(100),
    );
  });

  it(
    'a decision about a run that cannot be read holds that run, and nothing else',
    { timeout: 3_600_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(shapes, given, steps, fc.nat(1_000), async (graph, isGiven, story, which) => {
          const told = new Story(graph, isGiven);
          await told.call('a');
          for (const step of story) await told.take(step);
          await told.decideRun(which);
          await told.damageRun(which);
        }),
        drawn(100),
      );
    },
  );

  it('a record that cannot be read is never taken as absent or as present', { timeout: 3_600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(shapes, given, steps, fc.nat(1_000), async (graph, isGiven, story, which) => {
        const told = new Story(graph, isGiven);
        await told.call('a');
        for (const step of story) await told.take(step);
        await told.damage(which);
      }),
      { ...drawn(300), examples: DAMAGED },
    );
  });
});
