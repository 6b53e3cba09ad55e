import { showUnseen } from '../../../json/visible.ts';
import type { SaverResult } from './start-saver.ts';

const MAX_DETAIL = 200;

/**
 * Why an entry was not saved: the end of a sentence, or undefined where nobody needs to know. The toolkit answers
 * -1 to everything that goes wrong and tells the reason only in its log.
 */
export function reasonNotSaved({ message, timedOut, log }: SaverResult): string | undefined {
  if (message !== undefined && 'saved' in message && message.saved > 0) return undefined;
  if (/cache write denied:/.test(log)) return 'this run may only read the cache';
  // Another job of this run attempt saved the same checkpoint, or is about to.
  if (/Failed to reserve cache:[^\n]*\(409\)/.test(log)) return undefined;
  if (/Unable to locate executable file: \S*tar/.test(detailIn(message, log))) return 'there is no tar on the PATH';
  const status = log
    .match(/Failed request: \((\d{3})\)/g)
    ?.at(-1)
    ?.slice(-4, -1);
  if (status !== undefined) return `the service answered with status ${status}`;
  if (timedOut) return 'it took too long';
  if (message === undefined) return 'the saving process ended without an answer';
  return `the cache client reported: ${detailIn(message, log)}`;
}

/** The last complaint, without addresses, which may be signed, and safe to show. */
function detailIn(message: SaverResult['message'], log: string): string {
  const told = message !== undefined && 'failed' in message ? message.failed : undefined;
  const complaint = told ?? log.match(/(?:Failed to save: |::(?:warning|error)::)[^\n]*/g)?.at(-1) ?? 'nothing';
  const text = complaint.replace(/^::\w+::/, '').replaceAll(/https?:\/\/\S*/g, '(address)');
  return showUnseen(text).replaceAll(/\s+/g, ' ').trim().slice(0, MAX_DETAIL);
}
