import type { Place } from '../../line-store.js';
import type { ZooKeeperSession } from '../session/zookeeper-session.js';

/**
 * Who wants to know that a place is gone. One watch for each place, however many ask: a watch for children, which a place
 * never has, so that only its end fires it, and a place that is gone already leaves none behind.
 */
export class Watches {
  readonly #waiting = new Map<string, { readonly by: ZooKeeperSession; readonly wakes: Set<() => void> }>();

  constructor(private readonly session: () => Promise<ZooKeeperSession>) {}

  whenGone({ at }: Place, wake: () => void): void {
    const known = this.#waiting.get(at);
    if (known !== undefined) {
      known.wakes.add(wake);
      return;
    }
    this.session().then(
      (by) => this.#arm(by, at, wake),
      // Contact comes back with a wake for everybody.
      () => undefined,
    );
  }

  /** Watches of this session may miss something: who asks again is watched for again. */
  forget(session: ZooKeeperSession): void {
    for (const [at, { by }] of this.#waiting) if (by === session) this.#waiting.delete(at);
  }

  #arm(by: ZooKeeperSession, at: string, wake: () => void): void {
    const known = this.#waiting.get(at);
    if (known !== undefined) {
      known.wakes.add(wake);
      return;
    }
    const wakes = new Set([wake]);
    this.#waiting.set(at, { by, wakes });
    const gone = (): void => {
      if (this.#waiting.get(at)?.wakes === wakes) this.#waiting.delete(at);
      for (const one of wakes) one();
    };
    // Without an answer there may be no watch: whoever waits asks again, and then it is set anew.
    by.link.children(at, gone).catch(gone);
  }
}
