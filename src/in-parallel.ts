/**
 * Do work on every item, a few at a time. After a first error nothing new is begun; it is thrown once what runs has
 * ended.
 */
export async function inParallel<T>(
  width: number,
  items: Iterable<T>,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items[Symbol.iterator]();
  const errors: unknown[] = [];
  const worker = async (): Promise<void> => {
    for (let next = rest.next(); next.done !== true && errors.length === 0; next = rest.next()) {
      try {
        await work(next.value);
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  if (errors.length > 0) throw errors[0];
}

/** Like `Promise.all`, but a first error is thrown only once all of it has ended, so that nothing still runs then. */
export async function allEnded<const T extends readonly Promise<unknown>[]>(
  work: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

/** A limit that several callers share. */
export interface SharedLimit {
  /**
   * Waits until there is room, in the order of the calls. Dispose of the result to let the next one begin.
   * `undefined`: the signal was aborted first.
   */
  take(): Promise<Disposable | undefined>;
}

/** At most `width` turns at a time, and none once the signal is aborted. */
export function createSharedLimit(width: number, signal: AbortSignal): SharedLimit {
  const waiting: ((isGiven: boolean) => void)[] = [];
  let free = width;
  const give = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next(true);
  };
  signal.addEventListener('abort', () => {
    for (const next of waiting.splice(0)) next(false);
  });
  return {
    take: async () => {
      if (signal.aborted) return undefined;
      if (free > 0) free -= 1;
      else if (!(await new Promise<boolean>((resolve) => waiting.push(resolve)))) return undefined;
      return { [Symbol.dispose]: give };
    },
  };
}
