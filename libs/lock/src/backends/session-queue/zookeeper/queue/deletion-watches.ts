import type { QueueEntry } from '../../queue-store.js';
import type { ZooKeeperSession } from '../session/zookeeper-session.js';

/**
 * Who wants to know that an entry is gone. One watch for each entry, however many ask: a watch for children, which an entry
 * never has, so that only its end fires it, and an entry that is gone already leaves none behind.
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

  /** Watches of this session may miss something: who asks again is watched for again. */
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
    // Without an answer there may be no watch: whoever waits asks again, and then it is set anew.
    via.link.children(location, onDeletion).catch(onDeletion);
  }
}
