import { setImmediate } from 'node:timers/promises';
import { NumberStore } from './number.store.js';

/**
 * Numbers of one process. Each access takes a turn of the event loop, as any real store would, so that flows can race.
 */
export class MemoryNumberStore extends NumberStore {
  readonly #numbers = new Map<string, number>();

  override async read(name: string): Promise<number> {
    await setImmediate();
    return this.#numbers.get(name) ?? 0;
  }

  override async write(name: string, value: number): Promise<void> {
    await setImmediate();
    this.#numbers.set(name, value);
  }

  override async remove(name: string): Promise<void> {
    this.#numbers.delete(name);
  }
}
