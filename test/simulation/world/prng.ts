/** Random numbers of a seed: xoshiro128**, seeded by splitmix32. */
export class Prng {
  readonly #state: Uint32Array;

  constructor(seed: number) {
    let x = seed >>> 0;
    this.#state = Uint32Array.from({ length: 4 }, () => {
      x = (x + 0x9e3779b9) >>> 0;
      let z = x;
      z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
      z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
      return (z ^ (z >>> 16)) >>> 0;
    });
  }

  /** A whole number in [0, 2^32). */
  bits(): number {
    const s = this.#state;
    const product = Math.imul(s[1]!, 5);
    const result = Math.imul((product << 7) | (product >>> 25), 9) >>> 0;
    const t = s[1]! << 9;
    s[2]! ^= s[0]!;
    s[3]! ^= s[1]!;
    s[1]! ^= s[2]!;
    s[0]! ^= s[3]!;
    s[2]! ^= t;
    s[3] = (s[3]! << 11) | (s[3]! >>> 21);
    return result;
  }

  /** In [0, 1). */
  next(): number {
    return this.bits() / 2 ** 32;
  }

  /** Another source of its own, so that what one part draws does not change what others get. */
  fork(): Prng {
    return new Prng(this.bits());
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  between(low: number, high: number): number {
    return low + this.next() * (high - low);
  }

  /** Whole, both ends included. */
  whole(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.next() * items.length)]!;
  }

  /** Rarely long: exponential around a mean. */
  around(mean: number): number {
    return -mean * Math.log(1 - this.next());
  }
}
