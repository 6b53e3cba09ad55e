import type { Shape } from './decision-facts.ts';

/** A gate that needs nothing. */
export const plain: Shape = {
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
/** One that needs an approval. */
export const waiting: Shape = { ...plain, approval: [] };
/** One that needs the first gate. */
export const after: Shape = { ...plain, needs: [0] };
/** One that sends the work of the first gate back. */
export const judge: Shape = { ...after, back: { to: 0, most: 3 } };
/** What most decisions are about. */
export const about = { do: 'decide', subject: 'a', gate: 0, actor: 'me', expires: false } as const;
/** A call that keeps what it can. */
export const keeping = { lift: true, strategy: 'from-checkpoint', keep: true } as const;
