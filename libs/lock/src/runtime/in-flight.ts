/** Counts operations in flight; `whenOver()` resolves when the count returns to 0. */
export class InFlightGeneration {
  #count = 0;
  #onOver: (() => void) | undefined;

  get size(): number {
    return this.#count;
  }

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
  whenOver(): Promise<void> {
    return new Promise((resolve) => {
      if (this.isOver) resolve();
      else this.#onOver = resolve;
    });
  }
}

/** Counts operations in flight, so that a caller can wait for all of them, and not for later ones. */
export class InFlight {
  #current = new InFlightGeneration();
  #earlier: Promise<void> = Promise.resolve();

  /** Something begins; its `end` is called once. */
  begin(): InFlightGeneration {
    this.#current.begin();
    return this.#current;
  }

  /** Resolves when all that has begun before has ended. */
  whenSettled(): Promise<void> {
    if (!this.#current.isOver) {
      const over = Promise.all([this.#earlier, this.#current.whenOver()]);
      this.#earlier = over.then(() => undefined);
      this.#current = new InFlightGeneration();
    }
    return this.#earlier;
  }
}
