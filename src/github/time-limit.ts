/** Maximum delay of `setTimeout`. */
const MAX_TIMER = 2_147_483_647;

/** Thrown by {@link underLimit}. */
export class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError';

  constructor(milliseconds: number) {
    super(`no answer within ${Math.round(milliseconds).toLocaleString('en')} ms`);
  }
}

/**
 * Runs the work, and throws {@link TimeLimitError} if it takes longer, or the signal's reason if that is aborted first.
 * Work that ignores its signal is abandoned: a client whose promise never settles blocks nothing. The timer keeps the
 * process alive, so that such a promise cannot end it as if all were done.
 */
export async function underLimit<T>(
  milliseconds: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new TimeLimitError(milliseconds)), Math.min(milliseconds, MAX_TIMER));
  const limit = signal === undefined ? controller.signal : AbortSignal.any([signal, controller.signal]);
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(limit.reason as Error);
    if (limit.aborted) onAbort();
    limit.addEventListener('abort', onAbort, { once: true });
  });
  // A rejection of whichever loses the race is ignored.
  aborted.catch(() => {});
  try {
    const working = limit.aborted ? aborted : work(limit);
    working.catch(() => {});
    return await Promise.race([working, aborted]);
  } finally {
    clearTimeout(timer);
    limit.removeEventListener('abort', onAbort);
  }
}
