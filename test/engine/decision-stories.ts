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

/** How often work may be sent back in a run in all. */
export const reworks = fc.constantFrom(undefined, undefined, 0, 1, 1, 2, 3);

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

/** A call that is killed. */
const kill = fc.record({ do: fc.constant('kill' as const), subject, asked, after: fc.nat(90) });

/** The same call once more. */
const again = fc.constant({ do: 'again' as const });

/** What happens between calls, and calls. */
export const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('call' as const), subject, asked }) },
    { weight: 1, arbitrary: kill },
    { weight: 1, arbitrary: again },
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

/** Stories in which a call is killed and repeated, at once or after something else has happened. */
export const repeated: fc.Arbitrary<Step[]> = fc
  .tuple(steps, kill, fc.array(steps, { maxLength: 1 }), again)
  .map(([before, killed, between, last]) => [...before.slice(0, 5), killed, ...between.flat().slice(0, 2), last, last]);
