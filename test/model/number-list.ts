/** A list of whole numbers that grows, in a quarter of the memory of an ordinary one. */
export class NumberList {
  #numbers = new Int32Array(1 << 12);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  at(index: number): number {
    return this.#numbers[index]!;
  }

  push(number: number): void {
    if (this.#size === this.#numbers.length) {
      const numbers = new Int32Array(this.#size * 2);
      numbers.set(this.#numbers);
      this.#numbers = numbers;
    }
    this.#numbers[this.#size++] = number;
  }
}
