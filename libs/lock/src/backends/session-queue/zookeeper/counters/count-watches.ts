import type { Counter } from '../../../../core/ports/counting.js';
import type { Unsubscribe } from '../../../../core/ports/ports.js';
import type { ZooKeeperPaths } from '../session/zookeeper-paths.js';
import type { CountNodes } from './count-nodes.js';
import type { CountState } from './count-state.js';

interface CountListener {
  readonly kind: Counter['kind'];
  readonly wake: () => void;
}

/** A number that a waiter watches. */
interface WatchedCount {
  readonly listeners: Set<CountListener>;
  /** The server will send an event. */
  isArmed: boolean;
  /** The event came before the watch was known to be set. */
  hasFired: boolean;
  arming: Promise<void> | undefined;
}

/**
 * Wakes the waiters for a number. There is one watch for each number, for any number of waiters; it
 * is set again after each event. Not a `WakerMap`: an event wakes only the listeners of its kind,
 * and a watch that stands is kept without listeners.
 */
export class CountWatches {
  readonly #watched = new Map<string, WatchedCount>();

  constructor(
    private readonly paths: ZooKeeperPaths,
    private readonly nodes: CountNodes,
  ) {}

  async watch({ kind, resource }: Counter, wake: () => void): Promise<Unsubscribe> {
    const watched = this.#watched.get(resource) ?? {
      listeners: new Set<CountListener>(),
      ...{ isArmed: false, hasFired: false, arming: undefined },
    };
    this.#watched.set(resource, watched);
    // A new listener per call, so that watching twice with the same function counts twice.
    const listener = { kind, wake };
    watched.listeners.add(listener);
    if (!watched.isArmed) await this.#arm(resource, watched);
    return () => {
      watched.listeners.delete(listener);
      this.#dropIfIdle(resource, watched);
    };
  }

  /** Contact is back, perhaps in another session: events may have been missed. */
  reconnected(): void {
    for (const [resource, watched] of this.#watched) {
      watched.isArmed = false;
      void this.#arm(resource, watched).then(() => wakeAll(watched, () => true));
    }
  }

  close(): void {
    this.#watched.clear();
  }

  /** Never rejects: a waiter without a watch asks again by itself, less than a second later. */
  #arm(
    resource: string,
    watched: WatchedCount,
    seen?: (state: CountState | undefined) => void,
  ): Promise<void> {
    watched.arming ??= this.#setWatch(resource, watched)
      .then(
        (state) => seen?.(state),
        () => wakeAll(watched, () => true),
      )
      .finally(() => {
        watched.arming = undefined;
        this.#dropIfIdle(resource, watched);
      });
    return watched.arming;
  }

  async #setWatch(resource: string, watched: WatchedCount): Promise<CountState | undefined> {
    const session = await this.nodes.session();
    const onChange = (): void => this.#changed(resource, watched);
    for (;;) {
      watched.hasFired = false;
      const read = await this.nodes.read(resource, session, onChange);
      if (read === 'moved') continue;
      // A node created at this moment is read instead of awaited.
      if (read === undefined && (await session.link.exists(this.paths.count(resource), onChange))) continue;
      if (watched.hasFired) continue;
      watched.isArmed = true;
      return read?.state;
    }
  }

  #changed(resource: string, watched: WatchedCount): void {
    if (this.#watched.get(resource) !== watched) return;
    watched.hasFired = true;
    if (!watched.isArmed) return;
    watched.isArmed = false;
    if (watched.listeners.size === 0) return this.#dropIfIdle(resource, watched);
    // The read that sets the next watch shows whether to wake a waiter.
    void this.#arm(resource, watched, (state) => wakeAll(watched, (kind) => isWorthWaking(kind, state)));
  }

  /** A standing watch is kept for the next waiter: the server would keep it anyway. */
  #dropIfIdle(resource: string, watched: WatchedCount): void {
    const isIdle = watched.listeners.size === 0 && !watched.isArmed && watched.arming === undefined;
    if (isIdle && this.#watched.get(resource) === watched) this.#watched.delete(resource);
  }
}

function wakeAll({ listeners }: WatchedCount, isFor: (kind: Counter['kind']) => boolean): void {
  for (const { kind, wake } of [...listeners]) if (isFor(kind)) wake();
}

function isWorthWaking(kind: Counter['kind'], state: CountState | undefined): boolean {
  try {
    const value = state?.valueOf(kind) ?? 0;
    return kind === 'latch' ? value === 0 : value > 0;
  } catch {
    // The node has another type by now: the caller gets the error when it asks.
    return true;
  }
}
