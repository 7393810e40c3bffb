import type { Words } from './state.js';

const WORDS = 3;

/** The states that were met, each with a number: a hash table in typed arrays, since there are millions. */
export class StateTable {
  #words = new Int32Array(WORDS << 12);
  #slots = new Int32Array(1 << 13);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The number of a state; a state that is new gets the next one. */
  numberOf(words: Words): number {
    let slot = this.#slotOf(words);
    const known = this.#slots[slot]!;
    if (known !== 0) return known - 1;
    if (this.#size * 2 >= this.#slots.length) {
      this.#grow();
      slot = this.#slotOf(words);
    }
    this.#words.set(words, this.#size * WORDS);
    this.#size++;
    this.#slots[slot] = this.#size;
    return this.#size - 1;
  }

  at(number: number): Words {
    const start = number * WORDS;
    return [this.#words[start]!, this.#words[start + 1]!, this.#words[start + 2]!];
  }

  /** The slot that holds the state, or the free one where it belongs. */
  #slotOf([first, second, third]: Words): number {
    const mask = this.#slots.length - 1;
    let slot = hashOf(first, second, third) & mask;
    for (;;) {
      const known = this.#slots[slot]!;
      if (known === 0) return slot;
      const start = (known - 1) * WORDS;
      if (
        this.#words[start] === first &&
        this.#words[start + 1] === second &&
        this.#words[start + 2] === third
      )
        return slot;
      slot = (slot + 1) & mask;
    }
  }

  #grow(): void {
    this.#slots = new Int32Array(this.#slots.length * 2);
    const words = new Int32Array(this.#slots.length * WORDS);
    words.set(this.#words.subarray(0, this.#size * WORDS));
    this.#words = words;
    for (let number = 0; number < this.#size; number++)
      this.#slots[this.#slotOf(this.at(number))] = number + 1;
  }
}

/** Two rounds of a multiplicative mixer over the three words. */
function hashOf(first: number, second: number, third: number): number {
  let hash = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b) ^ Math.imul(third, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}
