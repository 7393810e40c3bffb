import type { SimProcess } from '../world/sim-process.js';
import type { World } from '../world/world.js';

interface Row {
  value: number;
  accepted: number;
  newest: number;
}

/** The protected resource: a number per resource, which refuses a writer with an older token than it has seen. */
export class GuardedStore {
  readonly #rows = new Map<string, Row>();

  constructor(private readonly world: World) {}

  /** Undefined when it was refused. */
  read(process: SimProcess, resource: string, token: number): Promise<number | undefined> {
    return this.#ask(process, () => {
      const row = this.#row(resource);
      if (token < row.newest) return undefined;
      row.newest = token;
      return row.value;
    });
  }

  write(process: SimProcess, resource: string, token: number, value: number): Promise<boolean> {
    return this.#ask(process, () => {
      const row = this.#row(resource);
      if (token < row.newest) return false;
      row.newest = token;
      row.value = value;
      row.accepted += 1;
      return true;
    });
  }

  /** Resources where an accepted write was overwritten by one that had not read it. */
  get lostUpdates(): readonly string[] {
    return [...this.#rows].flatMap(([resource, { value, accepted }]) =>
      value === accepted ? [] : [`${resource} counts ${value} after ${accepted} accepted writes`],
    );
  }

  #row(resource: string): Row {
    let row = this.#rows.get(resource);
    if (row === undefined) this.#rows.set(resource, (row = { value: 0, accepted: 0, newest: 0 }));
    return row;
  }

  #ask<T>(process: SimProcess, act: () => T): Promise<T> {
    const { world } = this;
    return new Promise((resolve) => {
      const trip = (): number => world.prng.between(0.1, 3);
      world.at(process.time + trip(), () => {
        const answer = act();
        process.receive(world.now + trip(), () => resolve(answer));
      });
    });
  }
}
