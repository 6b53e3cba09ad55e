/** What was used lately, up to a number of bytes. */
export class Recent<T extends { readonly bytes: Uint8Array }> {
  readonly #items = new Map<string, T>();
  readonly #limit: number;
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: string): T | undefined {
    const item = this.#items.get(key);
    if (item !== undefined) {
      this.#items.delete(key);
      this.#items.set(key, item);
    }
    return item;
  }

  set(key: string, item: T): void {
    this.#bytes += item.bytes.length - (this.#items.get(key)?.bytes.length ?? 0);
    this.#items.delete(key);
    this.#items.set(key, item);
    for (const [oldest, { bytes }] of this.#items) {
      if (this.#bytes <= this.#limit) return;
      this.#items.delete(oldest);
      this.#bytes -= bytes.length;
    }
  }
}
