import fc from 'fast-check';
import { describe, it } from 'vitest';
import { drawn } from '../support/test-size.ts';
import { DAMAGED, EXAMPLES } from './decision-examples.ts';
import { given, shapes, steps, SUBJECTS } from './decision-stories.ts';
import { Story } from './decision-story.ts';

describe('over random graphs, decisions, strategies, forks, loops, ages, contracts, failures, edits, kills and losses, for two subjects', () => {
  it('every call and every decision comes to what the model says', { timeout: 3_600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(shapes, given, steps, async (graph, isGiven, story) => {
        const told = new Story(graph, isGiven);
        await told.call('a');
        for (const step of story) await told.take(step);
        for (const name of SUBJECTS) await told.call(name);
      }),
      { ...drawn(300), examples: EXAMPLES },
    );
  });

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
