/**
 * A map for cases where most hold one entry or none at a time: a value that one task after another
 * takes and gives back. The first entry lies in fields. A Map that gains and loses an entry every
 * turn makes a new table every few turns. The old table points to the new one. Once one of them is
 * old in the heap, no later table is collected young, nor are its entries (V8's OrderedHashTable).
 */
export class SmallMap<K, V> {
  #key: K | undefined;
  /** Undefined when there is no first entry. */
  #value: V | undefined;
  #others: Map<K, V> | undefined;

  get size(): number {
    return (this.#value === undefined ? 0 : 1) + (this.#others === undefined ? 0 : this.#others.size);
  }

  get(key: K): V | undefined {
    return this.#value !== undefined && this.#key === key ? this.#value : this.#others?.get(key);
  }

  has(key: K): boolean {
    return this.get(key) !== undefined;
  }

  set(key: K, value: NonNullable<V>): void {
    if (this.#others?.has(key) === true) this.#others.set(key, value);
    else if (this.#value === undefined || this.#key === key) [this.#key, this.#value] = [key, value];
    else (this.#others ??= new Map<K, V>()).set(key, value);
  }

  delete(key: K): boolean {
    if (this.#value !== undefined && this.#key === key) {
      this.#key = this.#value = undefined;
      return true;
    }
    const others = this.#others;
    if (others === undefined || !others.delete(key)) return false;
    if (others.size === 0) this.#others = undefined;
    return true;
  }

  *values(): Generator<V> {
    if (this.#value !== undefined) yield this.#value;
    if (this.#others !== undefined) yield* this.#others.values();
  }
}
