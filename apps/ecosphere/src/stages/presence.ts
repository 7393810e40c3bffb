import { setTimeout as sleep } from 'node:timers/promises';

/** The referee of a trial: which callers are inside, and which have met there. */
export class Presence {
  readonly #inside = new Set<string>();
  readonly #met = new Set<string>();
  readonly #arrivals = new Map<string, PromiseWithResolver>();

  async during<T>(name: string, body: () => Promise<T>): Promise<T> {
    for (const other of this.#inside) this.#met.add(pair(name, other));
    this.#inside.add(name);
    this.#arrivalOf(name).resolve();
    try {
      return await body();
    } finally {
      this.#inside.delete(name);
    }
  }

  haveMet(one: string, other: string): boolean {
    return this.#met.has(pair(one, other));
  }

  /** Resolves when this caller is inside for the first time. */
  arrival(name: string): Promise<void> {
    return this.#arrivalOf(name).promise;
  }

  #arrivalOf(name: string): PromiseWithResolver {
    const known = this.#arrivals.get(name) ?? promiseWithResolver();
    this.#arrivals.set(name, known);
    return known;
  }
}

/** Waits for `event`, at most `ms`. */
export async function atMost(ms: number, event: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  await Promise.race([event, sleep(ms, undefined, { signal: over.signal }).catch(() => undefined)]);
  over.abort();
}

interface PromiseWithResolver {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

function promiseWithResolver(): PromiseWithResolver {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}

function pair(one: string, other: string): string {
  return [one, other].sort().join(' & ');
}
