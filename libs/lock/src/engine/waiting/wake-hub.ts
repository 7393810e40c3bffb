import type { Clock, Timer } from '../../core/clock.js';
import type { Shape } from '../../core/claim.js';
import { QUEUE_TIMING } from '../../core/queue-timing.js';
import type { Unsubscribe, Waker } from '../../core/ports/ports.js';

/** An unused subscription is kept this long, in ms: locks that are contended once are contended again. */
const LINGER_MS = 5_000;

/** Where wakes come from; `usage` tells the server which wakes to send. */
export interface WakeSource<Usage> {
  watch(resource: string, usage: Usage, wake: Waker): Promise<Unsubscribe>;
}

interface Subscription {
  readonly wakes: Set<Waker>;
  readonly made: Promise<Unsubscribe>;
  isMade: boolean;
  idleSince: number;
}

/**
 * Wakes waiting heads, by counted subscriptions per resource and one sweep for all. With the sweep,
 * a lost wake costs less than a second instead of a lease. Not the waker map of the backends: a
 * subscription outlasts its waiters for a while.
 */
export class WakeHub<Usage = Shape> {
  readonly #subscriptions = new Map<string, Subscription>();
  #listening = 0;
  #sweep: Timer | undefined;
  #reaper: Timer | undefined;
  #closed = false;

  constructor(
    private readonly clock: Clock,
    private readonly source: WakeSource<Usage>,
  ) {}

  /** Resources with a live subscription, those that linger included. */
  get size(): number {
    let live = 0;
    for (const { isMade } of this.#subscriptions.values()) if (isMade) live += 1;
    return live;
  }

  /**
   * Joins a subscription that is live already: nothing that happens from now on is missed.
   * Undefined when there is none.
   */
  join(resource: string, wake: Waker): Unsubscribe | undefined {
    const subscription = this.#subscriptions.get(resource);
    return subscription?.isMade === true ? this.#add(subscription, wake) : undefined;
  }

  /**
   * Calls `wake` until the result is called. Resolves when the subscription is confirmed, with undefined when it cannot
   * be made: without wakes the caller polls, and the next refusal tries to subscribe again.
   */
  async watch(resource: string, usage: Usage, wake: Waker): Promise<Unsubscribe | undefined> {
    let subscription = this.#subscriptions.get(resource);
    if (subscription === undefined) {
      subscription = this.#subscribe(resource, usage);
      this.#subscriptions.set(resource, subscription);
    }
    const leave = this.#add(subscription, wake);
    try {
      await subscription.made;
      return leave;
    } catch {
      leave();
      return undefined;
    }
  }

  close(): void {
    this.#closed = true;
    if (this.#sweep !== undefined) this.clock.clearTimer(this.#sweep);
    if (this.#reaper !== undefined) this.clock.clearTimer(this.#reaper);
    for (const { made } of this.#subscriptions.values()) unsubscribeOnceMade(made);
    this.#subscriptions.clear();
  }

  #add(subscription: Subscription, wake: Waker): Unsubscribe {
    subscription.wakes.add(wake);
    this.#listening += 1;
    this.#scheduleSweep();
    return () => {
      if (!subscription.wakes.delete(wake)) return;
      this.#listening -= 1;
      subscription.idleSince = this.clock.now();
      if (subscription.wakes.size === 0) this.#scheduleReaper();
    };
  }

  #subscribe(resource: string, usage: Usage): Subscription {
    const wakes = new Set<Waker>();
    const wakeAll: Waker = (why) => wakes.forEach((wake) => wake(why));
    const made = this.source.watch(resource, usage, wakeAll);
    const subscription: Subscription = { wakes, made, isMade: false, idleSince: 0 };
    made.then(
      () => void (subscription.isMade = true),
      () => void this.#subscriptions.delete(resource),
    );
    return subscription;
  }

  #scheduleSweep(): void {
    if (this.#sweep !== undefined || this.#listening === 0 || this.#closed) return;
    const { sweepLeastMs: least, sweepMostMs: most } = QUEUE_TIMING;
    this.#sweep = this.clock.setTimer(
      () => {
        this.#sweep = undefined;
        for (const { wakes } of this.#subscriptions.values()) for (const wake of wakes) wake();
        this.#scheduleSweep();
      },
      least + this.clock.random() * (most - least),
    );
  }

  #scheduleReaper(): void {
    if (this.#reaper !== undefined || this.#closed) return;
    this.#reaper = this.clock.setTimer(() => {
      this.#reaper = undefined;
      const now = this.clock.now();
      let idle = 0;
      for (const [resource, { wakes, made, idleSince }] of this.#subscriptions) {
        if (wakes.size > 0) continue;
        if (now - idleSince < LINGER_MS) idle += 1;
        else {
          this.#subscriptions.delete(resource);
          unsubscribeOnceMade(made);
        }
      }
      if (idle > 0) this.#scheduleReaper();
    }, LINGER_MS);
  }
}

function unsubscribeOnceMade(made: Promise<Unsubscribe>): void {
  made.then((unsubscribe) => unsubscribe()).catch(() => undefined);
}
