/** Places that a few may take at once. */
export interface Places {
  /** Waits for a free one. It is given back when it is disposed of. */
  take(): Promise<Disposable>;
}

export function places(count: number): Places {
  let free = count;
  const waiting: (() => void)[] = [];
  const giveBack = () => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return {
    take: async () => {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      return { [Symbol.dispose]: giveBack };
    },
  };
}
