/** A lock held by a `using(routine)` of its library until it is released. */
export class UsedLock {
  #finish: (() => void) | undefined;
  #used: Promise<unknown> | undefined;

  /** Resolves when the routine has begun, which means that the lock is held. */
  static take(
    using: (routine: () => Promise<void>) => Promise<unknown>,
    onLost: () => void,
  ): Promise<UsedLock> {
    const lock = new UsedLock();
    return new Promise((resolve, reject) => {
      lock.#used = using(() => {
        resolve(lock);
        return new Promise((finish) => (lock.#finish = finish));
      }).catch((error: unknown) => {
        reject(error as Error);
        onLost();
      });
    });
  }

  async letGo(): Promise<void> {
    this.#finish?.();
    await this.#used;
  }
}
