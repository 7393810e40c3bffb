/**
 * Allowance for a busy machine, in ms. A request that failed earlier never arrives, and the others must not wait for
 * ever.
 */
const TIMEOUT_MS = 10_000;

/** Lets a number of requests wait for each other, so that a race happens in every run. */
export class Barrier {
  #present = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #all: PromiseWithResolvers;

  constructor(
    private readonly parties: number,
    private readonly timeoutMs = TIMEOUT_MS,
  ) {
    this.#all = promiseWithResolvers();
  }

  /**
   * Resolves for all when the last one has arrived.
   * @throws if some have not arrived within the time-out of the first
   */
  wait(): Promise<void> {
    this.#timer ??= setTimeout(() => this.#giveUp(), this.timeoutMs);
    this.#present += 1;
    if (this.#present === this.parties) {
      clearTimeout(this.#timer);
      this.#all.resolve();
    }
    return this.#all.promise;
  }

  #giveUp(): void {
    const came = `only ${this.#present} of ${this.parties} requests arrived`;
    this.#all.reject(new Error(`${came} within ${this.timeoutMs} ms`));
  }
}

interface PromiseWithResolvers {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (reason: Error) => void;
}

function promiseWithResolvers(): PromiseWithResolvers {
  let resolve: () => void = () => undefined;
  let reject: (reason: Error) => void = () => undefined;
  const promise = new Promise<void>((settle, fail) => {
    resolve = settle;
    reject = fail;
  });
  return { promise, resolve, reject };
}
