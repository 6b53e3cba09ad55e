import { setTimeout as sleep } from 'node:timers/promises';
import { GatelineError } from '../../errors/gateline-error.ts';
import { BUSY_ERRORS } from '../exit-codes.ts';

/** Milliseconds between two tries of `--wait`. */
const WAIT_MS = 200;

/** Tries again while another process is in the way. @throws the error of the last try if `signal` is aborted */
export async function patiently<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || !(error instanceof GatelineError) || !BUSY_ERRORS.has(error.code)) throw error;
    }
    await sleep(WAIT_MS, undefined, { signal }).catch(() => undefined);
  }
}
