import type { Call } from './call.ts';

/** What to do where somebody else took the claim first, by who holds claims in this call. */
export function claimedHint(holder: Call['holder']): string {
  return holder === 'job'
    ? 'Two jobs of this run work on one gate. Give each its own `gate:`, or its own `subject:`.'
    : 'Two commands worked on one gate at the same time. Look at `gateline status`, and run again when the other one is through. If nobody works on it any more, `gateline decide force GATE --reason TEXT` frees it.';
}
