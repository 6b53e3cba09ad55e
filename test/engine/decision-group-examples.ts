import { about, after, judge, plain } from './decision-example-shapes.ts';
import type { Shape } from './decision-facts.ts';
import { HOUR, type Step } from './decision-stories.ts';

/** Stories about gates that are judged together. */
export const GROUPS: Array<[Shape[], boolean, Step[]]> = [
  // A gate that failed waits for another one of its group that is to run again in this call.
  [
    [
      plain,
      after,
      { ...judge, back: { to: 0, most: 4 }, grouped: true, picky: true },
      after,
      { ...after, grouped: true },
      { ...judge, back: { to: 0, most: 1 }, picky: true },
    ],
    false,
    [
      { do: 'call', subject: 'a', asked: { most: 2 } },
      { do: 'call', subject: 'a', asked: { force: [4] } },
    ],
  ],
  // The other one then waits for an approval, and the group is not judged.
  [
    [
      plain,
      { ...judge, back: { to: 0, most: 2 }, grouped: true, picky: true },
      after,
      { ...after, approval: [], grouped: true },
    ],
    false,
    [
      { do: 'edit', gate: 0, text: 1 },
      { do: 'kill', subject: 'a', asked: {}, after: 54 },
      { do: 'edit', gate: 0, text: 1 },
    ],
  ],
  // The first request of a group is asked again after a kill, and its target fails.
  [
    [plain, { ...judge, grouped: true, picky: true }, { ...after, grouped: true }],
    false,
    [
      { do: 'kill', subject: 'b', asked: { force: [0] }, after: 53 },
      { do: 'break', gate: 0 },
    ],
  ],
  // Nobody knows yet that the output of the other one is gone: the work is sent back at once.
  [
    [
      { ...plain, terse: true },
      after,
      { ...judge, back: { to: 0, most: 1 }, grouped: true, picky: true },
      { ...after, grouped: true },
      { ...plain, needs: [2, 0] },
    ],
    false,
    [
      { do: 'lose', which: 142 },
      { do: 'call', subject: 'a', asked: { most: 2 } },
      { do: 'call', subject: 'a', asked: { force: [0] } },
    ],
  ],
  // After a kill, work was about to be sent back: an output of a gate of the group was refused as too early.
  [
    [
      { ...plain, terse: true },
      { ...judge, back: { to: 0, most: 2 }, grouped: true, picky: true },
      { ...after, picky: true },
      { ...after, maxAge: 1.5 * HOUR, grouped: true, picky: true },
    ],
    false,
    [
      { ...about, decision: 'force' },
      { do: 'kill', subject: 'a', asked: {}, after: 27 },
      { do: 'wait', hours: 2 },
      { ...about, gate: 3, decision: 'adopt' },
      { do: 'break', gate: 0 },
    ],
  ],
  // A gate whose own output was gone waited for itself.
  [
    [
      { ...plain, terse: true },
      after,
      { ...judge, back: { to: 0, most: 2 }, grouped: true, picky: true },
      after,
      { ...after, approval: [], grouped: true },
    ],
    false,
    [
      { ...about, decision: 'adopt' },
      { do: 'lose', which: 500 },
      { do: 'edit', gate: 0, text: 0 },
    ],
  ],
];
