import { queueFrom, revisionOf, type EtcdEntry } from './etcd-entry.js';
import type { EtcdSessionDeps } from '../session/etcd-session.js';

/**
 * Reads queues: callers of one turn share a read, and get answers in call order. OncePerTurn does
 * not fit: the callers of each queue share one promise.
 */
export class ReadCoalescer {
  readonly #next = new Map<string, Promise<readonly EtcdEntry[]>>();

  constructor(private readonly deps: EtcdSessionDeps) {}

  /** The queue as it is after the call. @throws BackendUnavailableError */
  read(resource: string): Promise<readonly EtcdEntry[]> {
    let next = this.#next.get(resource);
    if (next === undefined) {
      next = new Promise((resolve) => {
        this.deps.clock.afterPoll(() => {
          this.#next.delete(resource);
          resolve(this.#read(resource));
        });
      });
      this.#next.set(resource, next);
    }
    return next;
  }

  async #read(resource: string): Promise<readonly EtcdEntry[]> {
    const { link, keys } = this.deps;
    const { header, kvs } = await link.range(keys.queue(resource), link.deadline());
    return queueFrom(resource, kvs, revisionOf(header));
  }
}
