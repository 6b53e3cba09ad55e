/** Random numbers that one seed decides (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0 || 1;
  }

  /** In [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** A whole number from 0 to below the limit. */
  int(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** @throws TypeError for an empty list */
  pick<Item>(items: readonly Item[]): Item {
    if (items.length === 0) throw new TypeError('there is nothing to pick from');
    return items[this.int(items.length)]!;
  }

  /** Each item with that probability. */
  some<Item>(items: readonly Item[], probability: number): Item[] {
    return items.filter(() => this.chance(probability));
  }

  /** Removes one item from the list. */
  draw<Item>(items: Item[]): Item | undefined {
    return items.splice(this.int(items.length), 1)[0];
  }
}
