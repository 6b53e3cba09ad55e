import type { Shape } from './decision-facts.ts';
import { about, after, judge, keeping, plain, waiting } from './decision-example-shapes.ts';
import { GROUPS } from './decision-group-examples.ts';
import { HOUR, type Step } from './decision-stories.ts';

/** Stories that once came to something else than the model says, and some that are seldom drawn. */
export const EXAMPLES: Array<[Shape[], boolean, Step[]]> = [
  // A gate that waited for an approval refused an adopted output.
  [[waiting], false, [{ ...about, decision: 'adopt' }]],
  // A gate waited for the approval of an output that was gone.
  [[waiting], false, [{ do: 'lose', which: 0 }]],
  // An approved output was kept, although another one had been adopted since.
  [
    [waiting, waiting],
    false,
    [
      { ...about, decision: 'approve' },
      { ...about, decision: 'adopt' },
    ],
  ],
  // After an approved output was lost, the next approval was one of that output again.
  [
    [waiting, { ...plain, needs: [0] }],
    false,
    [
      { do: 'word', gate: 0, text: 1 },
      { do: 'lose', which: 0 },
      { ...about, decision: 'approve' },
      { do: 'call', subject: 'a', asked: {} },
      { ...about, decision: 'approve' },
    ],
  ],
  // In the run after that of a force, which no attempt had followed, another subject's output was reused.
  [
    [plain],
    false,
    [
      { ...about, subject: 'b', decision: 'force' },
      { do: 'decide-run', subject: 'b', decision: 'close', run: 0 },
    ],
  ],
  // An approval that had expired lifted a reject for outputs of other subjects.
  [
    [plain],
    false,
    [
      { do: 'call', subject: 'b', asked: { force: [0] } },
      { ...about, decision: 'reject' },
      { ...about, decision: 'approve', expires: true },
      { do: 'wait', hours: 1 },
    ],
  ],
  // A fork runs its gate and everything downstream again.
  [
    [plain, { ...plain, needs: [0] }],
    false,
    [{ do: 'call', subject: 'a', asked: { fork: { subject: 'a', run: 1, gate: 0 } } }],
  ],
  // A fork that was killed after its first records, and then went on from its first gate, decided twice about it.
  [
    [plain, after],
    false,
    [
      {
        do: 'kill',
        subject: 'a',
        asked: { fresh: true, fork: { subject: 'a', run: 1, gate: 0 } },
        after: 6,
      },
      { do: 'call', subject: 'a', asked: { lift: true, strategy: 'from-checkpoint', from: [0] } },
    ],
  ],
  // A loop ended well by an approval in an earlier run; another subject did not see that.
  [
    [
      plain,
      { ...plain, needs: [1], terse: true, picky: true },
      { ...plain, needs: [1], back: { to: 0, most: 1 }, picky: true },
    ],
    false,
    [
      { do: 'edit', gate: 1, text: 1 },
      { ...about, gate: 2, decision: 'approve' },
      { do: 'call', subject: 'a', asked: { most: 2 } },
      { do: 'edit', gate: 0, text: 0 },
    ],
  ],
  // An attempt that made a lost output once more was not sent back with the output; another subject reused it.
  [
    [{ ...plain, approval: [] }, { ...after, back: { to: 0, most: 1 } }, after, { ...judge, picky: true }],
    false,
    [
      { ...about, decision: 'approve' },
      { do: 'lose', which: 0 },
      { do: 'strengthen', gate: 0 },
    ],
  ],
  // A force ends a skip.
  [
    [plain, plain],
    false,
    [
      { ...about, decision: 'skip' },
      { ...about, decision: 'force' },
    ],
  ],
  // The output that sent work back is gone: no agent starts without it.
  [
    [plain, { ...judge, back: { to: 0, most: 2 }, picky: true }, after, after],
    false,
    [
      { ...about, decision: 'reject' },
      { do: 'lose', which: 146 },
      { do: 'decide-run', subject: 'a', decision: 'pause', run: 2 },
    ],
  ],
  // An output that was approved and is gone sends nothing back.
  [
    [
      plain,
      { ...judge, partial: 'pause', back: { to: 0, most: 4 }, picky: true },
      after,
      { ...plain, needs: [1] },
      { ...plain, needs: [1, 0] },
    ],
    false,
    [
      { do: 'lose', which: 8 },
      { ...about, gate: 1, decision: 'approve' },
      { do: 'break', gate: 0 },
    ],
  ],
  // Gates that were kept in one iteration could not be kept in the next one.
  [
    [plain, after, { ...judge, picky: true }, after, after, after],
    false,
    [
      { ...about, decision: 'approve' },
      { do: 'edit', gate: 2, text: 1 },
      { do: 'call', subject: 'a', asked: { ...keeping, from: [2] } },
      { ...about, decision: 'approve' },
    ],
  ],
  // An approval of a partial output is for its request: under another one it does not meet the contract, and is not kept.
  [
    [plain, { ...judge, back: { to: 0, most: 1 }, picky: true }, after, { ...after, approval: [] }],
    false,
    [
      { ...about, gate: 1, decision: 'approve' },
      { do: 'edit', gate: 1, text: 1 },
      { do: 'call', subject: 'a', asked: { ...keeping, from: [2] } },
    ],
  ],
  // Two gates send work back in one call: the second time together.
  ...[false, true].map((grouped): [Shape[], boolean, Step[]] => [
    [plain, { ...judge, grouped }, { ...judge, grouped }],
    false,
    [
      ...[1, 2].flatMap((gate): Step[] => [
        { do: 'weaken', gate },
        { do: 'edit', gate, text: 1 },
      ]),
      { do: 'call', subject: 'a', asked: { most: 1 } },
      { do: 'call', subject: 'a', asked: {} },
      { do: 'strengthen', gate: 1 },
      { do: 'call', subject: 'a', asked: { most: 5 } },
      { do: 'strengthen', gate: 2 },
    ],
  ]),
  // An output that is too old, and one of which that is unknown.
  ...([2, -1] as const).map((hours): [Shape[], boolean, Step[]] => [
    [{ ...plain, maxAge: 1.5 * HOUR }, after],
    false,
    [
      { do: 'wait', hours },
      { do: 'call', subject: 'a', asked: {} },
      { do: 'call', subject: 'b', asked: {} },
    ],
  ]),
  // One that is too old did its work again and failed, or was killed: what follows is not built on the old output.
  ...(['break', 'kill'] as const).map((how): [Shape[], boolean, Step[]] => [
    [
      { ...plain, maxAge: 1.5 * HOUR },
      { ...after, approval: [] },
    ],
    false,
    [
      { do: 'wait', hours: 2 },
      how === 'break' ? { do: how, gate: 0 } : { do: how, subject: 'a', asked: {}, after: 6 },
      { do: 'edit', gate: 1, text: 1 },
    ],
  ]),
  // A stored output is judged again by a lower threshold, and then by one that it does not meet.
  [
    [plain, after],
    false,
    [
      { do: 'weaken', gate: 1 },
      { do: 'edit', gate: 1, text: 1 },
      { do: 'call', subject: 'a', asked: {} },
      { do: 'contract', gate: 1, threshold: 40 },
      { do: 'call', subject: 'a', asked: {} },
      { do: 'contract', gate: 1, threshold: 95 },
      { do: 'call', subject: 'a', asked: {} },
    ],
  ],
  // Two gates that had sent work back together were in another order in the next call, and so in another request.
  [
    [0, 1, 2, 3].map((one) => ({ ...judge, back: { to: 0, most: 1 }, picky: true, grouped: one === 1 || one === 2 })),
    false,
    [
      { do: 'call', subject: 'a', asked: { most: 2 } },
      { do: 'lose', which: 0 },
    ],
  ],
  // By another threshold the same output fails with another verdict, and that is another request.
  [
    [plain, { ...judge, back: { to: 0, most: 4 }, picky: true }, after, after],
    false,
    [
      { do: 'contract', gate: 1, threshold: 95 },
      { do: 'call', subject: 'a', asked: {} },
    ],
  ],
  // An adopted output was rejected, and is gone: what the agent said before is reused.
  [
    [{ ...plain, approval: ['maria'] }, plain],
    false,
    [
      { ...about, gate: 1, decision: 'adopt' },
      { ...about, gate: 1, decision: 'reject' },
      { do: 'lose', which: 472 },
      { do: 'call', subject: 'a', asked: { most: 1 } },
    ],
  ],
  // The last output of a loop was sent back where another run had reused it for the loop's first request. The other
  // subject, which had done so, too, reused it again.
  [
    [plain, plain, { ...plain, needs: [1], back: { to: 0, most: 4 }, picky: true }, after, after, after],
    false,
    [
      { do: 'call', subject: 'b', asked: { force: [0] } },
      { do: 'edit', gate: 2, text: 1 },
      { ...about, decision: 'approve' },
    ],
  ],
  // An output from before a force was reused by way of another subject, which had reused it before.
  [
    [plain, { ...judge, back: { to: 0, most: 4 }, picky: true }, after, after],
    false,
    [
      { do: 'call', subject: 'b', asked: { force: [0] } },
      { do: 'weaken', gate: 1 },
      { ...about, gate: 1, decision: 'force' },
      { do: 'call', subject: 'a', asked: { fresh: true, fork: { subject: 'a', run: 1 } } },
    ],
  ],
  // What a person kept was as old as the other subject's output that it came from.
  [
    [plain, plain, plain, { ...waiting, maxAge: 1.5 * HOUR }, plain],
    false,
    [
      { do: 'call', subject: 'b', asked: { most: 1 } },
      { do: 'edit', gate: 3, text: 1 },
      { do: 'wait', hours: 2 },
      { do: 'kill', subject: 'b', asked: { ...keeping, from: [0] }, after: 42 },
      { do: 'decide-run', subject: 'b', decision: 'close', run: 0 },
    ],
  ],
  // The next run went again through a loop whose last output a person had approved.
  [
    [plain, { ...judge, back: { to: 0, most: 2 } }],
    false,
    [
      { do: 'weaken', gate: 1 },
      { do: 'edit', gate: 0, text: 1 },
      { do: 'call', subject: 'a', asked: {} },
      { ...about, gate: 1, decision: 'approve' },
      { do: 'call', subject: 'a', asked: {} },
      { do: 'call', subject: 'a', asked: { force: [1] } },
      { ...about, gate: 1, decision: 'reject' },
    ],
  ],
  // The clock was set back before the last call: by its time a skip was in force, and the run is over.
  [
    [plain, { ...judge, back: { to: 0, most: 1 }, picky: true }, after],
    false,
    [
      { do: 'wait', hours: -1 },
      { ...about, decision: 'skip', expires: true },
      { do: 'call', subject: 'a', asked: { lift: true, strategy: 'from-checkpoint', from: [1], keep: false } },
      { do: 'wait', hours: 1 },
      { do: 'decide-run', subject: 'a', decision: 'pause', run: 0 },
    ],
  ],
  // The model took another subject's output from where that one had reused it: the gate that sent it back had been
  // approved there since, for that subject only.
  [
    [
      { ...plain, picky: true },
      { ...plain, picky: true },
      { ...plain, needs: [1], back: { to: 0, most: 2 }, picky: true },
      { ...after, picky: true },
      { ...after, picky: true },
    ],
    false,
    [
      { do: 'call', subject: 'a', asked: { lift: true, strategy: 'skip-current' } },
      { ...about, gate: 2, decision: 'approve' },
    ],
  ],
  // A group of which one had failed did not send its work back when the other one was reused.
  [
    [
      plain,
      { ...plain, needs: [0], back: { to: 0, most: 3 }, grouped: true, picky: true },
      { ...plain, needs: [0], grouped: true },
    ],
    false,
    [
      { do: 'kill', subject: 'a', asked: { force: [0] }, after: 28 },
      { do: 'break', gate: 0 },
    ],
  ],
  ...GROUPS,
];

/** Stories after which a record, by its place among all of them, cannot be read. */
export const DAMAGED: Array<[Shape[], boolean, Step[], number]> = [
  // The output that a rework, which cannot be read, had sent back was used.
  [[{ ...plain, terse: true }, { ...judge, picky: true }, after, after], false, [{ do: 'edit', gate: 0, text: 0 }], 4],
  [
    [plain, { ...judge, back: { to: 0, most: 1 }, picky: true }, { ...plain, needs: [1] }, after],
    false,
    [{ do: 'call', subject: 'b', asked: { most: 2 } }],
    681,
  ],
  [
    [
      { ...plain, terse: true },
      { ...after, terse: true },
      { ...plain, needs: [1], back: { to: 0, most: 4 }, picky: true },
      { ...plain, needs: [2] },
      after,
      { ...plain, needs: [1] },
    ],
    false,
    [{ do: 'edit', gate: 0, text: 0 }],
    544,
  ],
];
