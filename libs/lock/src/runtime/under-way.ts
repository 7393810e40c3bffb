/** What was begun between two questions whether all is over. */
export class Round {
  #count = 0;
  #onOver: (() => void) | undefined;

  get isOver(): boolean {
    return this.#count === 0;
  }

  begin(): void {
    this.#count += 1;
  }

  end(): void {
    this.#count -= 1;
    if (this.#count === 0) this.#onOver?.();
  }

  /** Resolves when all of it has ended; asked for once. */
  over(): Promise<void> {
    return new Promise((resolve) => {
      if (this.isOver) resolve();
      else this.#onOver = resolve;
    });
  }
}

/** Counts what is under way, so that one can wait for all of it, and not for what begins later. */
export class UnderWay {
  #current = new Round();
  #earlier: Promise<void> = Promise.resolve();

  /** Something begins; its `end` is called once. */
  begin(): Round {
    this.#current.begin();
    return this.#current;
  }

  /** Resolves when all that has begun before has ended. */
  settled(): Promise<void> {
    if (!this.#current.isOver) {
      const over = Promise.all([this.#earlier, this.#current.over()]);
      this.#earlier = over.then(() => undefined);
      this.#current = new Round();
    }
    return this.#earlier;
  }
}
