const SETTLED = Promise.resolve();
const ignore = (): void => undefined;

/** Runs work one at a time, in order. A failure does not stop the work behind it. */
export class SerialExecutor {
  #last: Promise<unknown> | undefined;

  /** True when no work runs or waits. */
  get isIdle(): boolean {
    return this.#last === undefined;
  }

  /** Resolves once the work that is there now has ended, well or not. */
  async whenIdle(): Promise<void> {
    await this.#last?.then(ignore, ignore);
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    const result = (this.#last ?? SETTLED).then(work, work);
    this.#last = result;
    const leave = (): void => {
      if (this.#last === result) this.#last = undefined;
    };
    // Runs before the reactions of the caller, so the caller finds this idle.
    result.then(leave, leave);
    return result;
  }
}
