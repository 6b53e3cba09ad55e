import fc from 'fast-check';
import type { Decision, RunDecision } from '../../src/engine/decide.ts';
import type { Shape } from './decision-facts.ts';
import type { Asked } from './decision-oracle.ts';

const MOST_GATES = 6;
/** In milliseconds. */
export const HOUR = 3_600_000;
/** The subjects of a story. */
export const SUBJECTS = ['a', 'b'] as const;
const PEOPLE = ['me', 'maria', 'paul'] as const;

const gateShape = {
  needs: fc.array(fc.nat(MOST_GATES - 1), { maxLength: 2 }),
  terse: fc.boolean(),
  reuse: fc.constantFrom<Shape['reuse']>('auto', 'auto', 'auto', 'never'),
  partial: fc.constantFrom<Shape['partial']>('block', 'continue', 'pause'),
  approval: fc.constantFrom<Shape['approval']>(undefined, undefined, undefined, [], ['maria']),
  maxAge: fc.constantFrom<Shape['maxAge']>(undefined, undefined, undefined, 1.5 * HOUR),
  back: fc.constant<Shape['back']>(undefined),
  grouped: fc.constant(false),
  picky: fc.constant(false),
};

/** Gates that need one of the first ones: most of them can send work back to one of those, alone or together. */
const loopShape = {
  ...gateShape,
  needs: fc.array(fc.nat(2), { minLength: 1, maxLength: 2 }),
  partial: fc.constantFrom<Shape['partial']>('block', 'block', 'block', 'block', 'continue', 'pause'),
  approval: fc.constantFrom<Shape['approval']>(...Array.from({ length: 8 }, () => undefined), [], ['maria']),
  back: fc.option(fc.record({ to: fc.nat(2), most: fc.constantFrom(1, 1, 2, 3, 4) }), { nil: undefined, freq: 3 }),
  grouped: fc.boolean(),
  picky: fc.constantFrom(true, true, false),
};

/** Graphs of gates. */
export const shapes: fc.Arbitrary<Shape[]> = fc.oneof(
  fc.array(fc.record(gateShape), { minLength: 1, maxLength: MOST_GATES }),
  fc.array(fc.record(loopShape), { minLength: 3, maxLength: MOST_GATES }),
);

/** Whether the subjects are given, and so part of every request. */
export const given = fc.constantFrom(false, false, false, true);

const subject = fc.constantFrom(...SUBJECTS, SUBJECTS[0]);
const gate = fc.nat(MOST_GATES - 1);
const actor = fc.constantFrom(...PEOPLE);

/** How a call is made, with gates still to be brought into the graph. */
const asked = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Asked>({}) },
  { weight: 1, arbitrary: fc.constant<Asked>({ fresh: true }) },
  { weight: 2, arbitrary: fc.record({ most: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 2, arbitrary: fc.record({ force: fc.array(gate, { minLength: 1, maxLength: 2 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      lift: fc.constant(true),
      strategy: fc.constantFrom<NonNullable<Asked['strategy']>>('retry-current', 'retry-previous', 'skip-current'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      lift: fc.constant(true),
      strategy: fc.constant('from-checkpoint' as const),
      from: fc.array(gate, { minLength: 1, maxLength: 2 }),
      keep: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      fresh: fc.boolean(),
      fork: fc.record({ subject, run: fc.integer({ min: 1, max: 3 }), gate: fc.option(gate, { nil: undefined }) }),
    }),
  },
);

/** What happens between calls, and calls. */
export const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('call' as const), subject, asked }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('kill' as const), subject, asked, after: fc.nat(90) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('edit' as const), gate, text: fc.nat(2) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constantFrom('break' as const, 'mend' as const, 'weaken' as const, 'strengthen' as const),
        gate,
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('contract' as const), gate, threshold: fc.constantFrom(40, 80, 95) }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('word' as const), gate, text: fc.nat(1) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), hours: fc.constantFrom(1, 1, 2, -1) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('lose' as const), which: fc.nat(1_000) }) },
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant('decide' as const),
        subject,
        gate,
        actor,
        decision: fc.constantFrom<Decision['decision']>('approve', 'approve', 'reject', 'skip', 'force', 'adopt'),
        expires: fc.boolean(),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('decide-run' as const),
        subject,
        decision: fc.constantFrom<RunDecision['decision']>('pause', 'pause', 'close', 'pin', 'unpin'),
        run: fc.nat(2),
      }),
    },
  ),
  { minLength: 1, maxLength: 14 },
);
/** One step of a story. */
export type Step = typeof steps extends fc.Arbitrary<(infer T)[]> ? T : never;

const plain: Shape = {
  needs: [],
  terse: false,
  reuse: 'auto',
  partial: 'block',
  approval: undefined,
  maxAge: undefined,
  back: undefined,
  grouped: false,
  picky: false,
};
const waiting: Shape = { ...plain, approval: [] };
const after: Shape = { ...plain, needs: [0] };
const judge: Shape = { ...after, back: { to: 0, most: 3 } };
const about = { do: 'decide', subject: 'a', gate: 0, actor: 'me', expires: false } as const;

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
      { do: 'call', subject: 'a', asked: { lift: true, strategy: 'from-checkpoint', from: [2], keep: true } },
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
      { do: 'call', subject: 'a', asked: { lift: true, strategy: 'from-checkpoint', from: [2], keep: true } },
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
];
