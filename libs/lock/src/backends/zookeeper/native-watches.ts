import type { NativeClient } from './native-types.js';

type Kind = 'data' | 'children';

/**
 * Who is to be told of a node. The library's own watchers are never freed by it, so that every wait would cost memory for
 * ever; its events are one function for all.
 */
export class NativeWatches {
  readonly #touched = {
    data: new Map<string, Set<() => void>>(),
    children: new Map<string, Set<() => void>>(),
  };

  constructor(client: NativeClient) {
    client.on('created', (_, path) => this.#fire('data', path));
    client.on('changed', (_, path) => this.#fire('data', path));
    client.on('child', (_, path) => this.#fire('children', path));
    client.on('deleted', (_, path) => {
      this.#fire('data', path);
      this.#fire('children', path);
    });
  }

  add(kind: Kind, path: string, touched: () => void): void {
    const all = this.#touched[kind].get(path) ?? new Set();
    this.#touched[kind].set(path, all.add(touched));
  }

  /** The server has set no watch. */
  remove(kind: Kind, path: string, touched: () => void): void {
    const all = this.#touched[kind].get(path);
    if (all?.delete(touched) === true && all.size === 0) this.#touched[kind].delete(path);
  }

  #fire(kind: Kind, path: string): void {
    const all = this.#touched[kind].get(path);
    this.#touched[kind].delete(path);
    for (const touched of all ?? []) touched();
  }
}
