/** Work on one thing, in the order in which it was asked for. Work on other things does not wait for it. */
export class Turns {
  /** The last turn of each thing; it never rejects. */
  readonly #last = new Map<string, Promise<unknown>>();

  /** How many things have work that has not ended. */
  get waiting(): number {
    return this.#last.size;
  }

  /**
   * Does work when all that was asked for before on the same thing has ended, well or not.
   * @param prepared what the work needs: if it fails, there is no work, and the next turn is still in order
   */
  take<P, R>(thing: readonly string[], prepared: Promise<P>, work: (prepared: P) => Promise<R>): Promise<R> {
    const key = JSON.stringify(thing);
    const before = this.#last.get(key);
    const own = Promise.all([prepared, before]).then(([ready]) => work(ready));
    const ended = Promise.allSettled([own, before]).then(() => {
      if (this.#last.get(key) === ended) this.#last.delete(key);
    });
    this.#last.set(key, ended);
    return own;
  }
}
