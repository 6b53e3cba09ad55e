/** Numbers that are collected: 8 bytes each, since a history has many. */
export class Numbers {
  #values = new Float64Array(16);
  #length = 0;

  add(value: number): void {
    if (this.#length === this.#values.length) {
      const larger = new Float64Array(2 * this.#length);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#length] = value;
    this.#length += 1;
  }

  /** All of them in ascending order. */
  sorted(): Float64Array {
    return this.#values.subarray(0, this.#length).sort();
  }
}
