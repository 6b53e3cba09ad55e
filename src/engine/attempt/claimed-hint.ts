import type { Call } from '../call/call.ts';

/** What the user can do if another process claimed the gate first. Depends on who holds claims in this call. */
export function claimedHint(holder: Call['holder']): string {
  return holder === 'job'
    ? 'Two jobs of this run work on the same gate. Give each its own `gate:`, or its own `subject:`.'
    : 'Two commands worked on the same gate at the same time. Check `gateline status`, and run again when the other one is done. If nobody works on it any more, `gateline force GATE --reason TEXT` frees it.';
}
