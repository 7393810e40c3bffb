/** Time for a busy machine. Whoever failed on the way never comes, and then the others must not wait for ever. */
const PATIENCE_MS = 10_000;

/** Lets a number of requests wait for each other, so that a race is run every time and not only on a bad day. */
export class Meeting {
  #present = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #everybody: PromiseWithResolvers;

  constructor(
    private readonly parties: number,
    private readonly patienceMs = PATIENCE_MS,
  ) {
    this.#everybody = promiseWithResolvers();
  }

  /** Resolves for all when the last one has come. @throws when some have not come within the patience of the first */
  join(): Promise<void> {
    this.#timer ??= setTimeout(() => this.#giveUp(), this.patienceMs);
    this.#present += 1;
    if (this.#present === this.parties) {
      clearTimeout(this.#timer);
      this.#everybody.resolve();
    }
    return this.#everybody.promise;
  }

  #giveUp(): void {
    const came = `only ${this.#present} of ${this.parties} requests arrived`;
    this.#everybody.reject(new Error(`${came} within ${this.patienceMs} ms`));
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
