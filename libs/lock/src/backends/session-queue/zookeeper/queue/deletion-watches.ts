import type { QueueEntry } from '../../queue-store.js';
import type { ZooKeeperSession } from '../session/zookeeper-session.js';

/**
 * Announces that an entry is gone, with one watch for each entry, for any number of waiters. It
 * watches for children, which an entry never has, so that only its end fires the watch. On an entry
 * that is gone already it leaves no watch behind.
 */
export class ZooKeeperDeletionWatches {
  readonly #waiting = new Map<string, { readonly via: ZooKeeperSession; readonly wakers: Set<() => void> }>();

  constructor(private readonly session: () => Promise<ZooKeeperSession>) {}

  onDeleted({ location }: QueueEntry, wake: () => void): void {
    const known = this.#waiting.get(location);
    if (known !== undefined) {
      known.wakers.add(wake);
      return;
    }
    this.session().then(
      (via) => this.#arm(via, location, wake),
      // When contact returns, every waiter is woken.
      () => undefined,
    );
  }

  /** Watches of this session may miss events: the next request of a waiter sets a new one. */
  dropSession(session: ZooKeeperSession): void {
    for (const [location, { via }] of this.#waiting) if (via === session) this.#waiting.delete(location);
  }

  #arm(via: ZooKeeperSession, location: string, wake: () => void): void {
    const known = this.#waiting.get(location);
    if (known !== undefined) {
      known.wakers.add(wake);
      return;
    }
    const wakers = new Set([wake]);
    this.#waiting.set(location, { via, wakers });
    const onDeletion = (): void => {
      if (this.#waiting.get(location)?.wakers === wakers) this.#waiting.delete(location);
      for (const one of wakers) one();
    };
    // Without an answer there may be no watch: the waiter is woken, asks again and sets a new one.
    via.link.children(location, onDeletion).catch(onDeletion);
  }
}
