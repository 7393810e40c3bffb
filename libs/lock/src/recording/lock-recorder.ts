import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClaimMode } from '../core/claim.js';
import { systemClock, type Clock } from '../core/clock.js';
import type { EventOrigin, LockEventName, LockEvents, ReleaseEnd, WaitEnd } from '../core/events.js';
import { LockExpectation } from './lock-expectation.js';
import type { RecordedHold, RecordedWait } from './records.js';

/** Options of a `LockRecorder`. */
export interface LockRecorderOptions {
  /** Times the waits and holds that still last: the clock of the locks. @default the system clock */
  readonly clock?: Clock;
}

/** What a recorder listens to: a `Bedrock`. */
export interface RecordedSource {
  /** Prepended to the names of its locks. */
  readonly prefix: string;
  /** Listens to an event; gives back the unsubscription. */
  on<N extends LockEventName>(event: N, listener: (payload: LockEvents[N]) => void): () => void;
}

/** A hold that no Bedrock grants, for a fake of a lock. */
export interface FakeHold {
  /** The name of the lock. */
  readonly lock: string;
  /** @default '', for the whole lock */
  readonly key?: string;
  /** The caller, as `as()` would name it. */
  readonly label?: string | undefined;
}

/** What waits and holds have in common. */
interface RecordSubject {
  readonly lock: string;
  readonly key: string;
  readonly label: string | undefined;
  /** By the clock of the recorder. */
  readonly since: number;
}

interface WaitRecord extends RecordSubject {
  end: WaitEnd | undefined;
  waitedMs: number | undefined;
}

interface HoldRecord extends RecordSubject {
  readonly mode: ClaimMode;
  readonly token: number;
  end: ReleaseEnd | undefined;
  heldMs: number | undefined;
}

/** The waits and holds of one source that an event may still be about. */
interface OpenRecords {
  readonly waits: Map<number, WaitRecord>;
  /** By lease id. */
  readonly holds: Map<string, HoldRecord>;
}

/** A character of a key part that `name:part` cannot contain: see `core/key.ts`. */
const ESCAPED = /%([0-9A-F]{2})/g;

/**
 * Records waits for locks, their holds and the order of the holds, for tests of applications. It listens to any
 * number of Bedrocks, such as two "processes" on one store. Everything is kept until `clear()`. Latches,
 * counting and expirable semaphores have no leases, so they are not recorded.
 */
export class LockRecorder {
  readonly #clock: Clock;
  readonly #labels = new AsyncLocalStorage<string>();
  readonly #waits: WaitRecord[] = [];
  readonly #holds: HoldRecord[] = [];

  constructor({ clock = systemClock }: LockRecorderOptions = {}) {
    this.#clock = clock;
  }

  /** Records a Bedrock from now on; gives back what ends that. */
  listenTo(source: RecordedSource): () => void {
    const open: OpenRecords = { waits: new Map(), holds: new Map() };
    const endHold = (leaseId: string, end: ReleaseEnd, heldMs: number): void => {
      const hold = open.holds.get(leaseId);
      if (hold === undefined) return;
      open.holds.delete(leaseId);
      hold.end = end;
      hold.heldMs = heldMs;
    };
    const subscriptions = [
      source.on('wait.started', (event) => {
        const label = event.inCaller(() => this.#labels.getStore());
        const subject = this.#subject(source, event, label);
        const wait: WaitRecord = { ...subject, end: undefined, waitedMs: undefined };
        open.waits.set(event.waitId, wait);
        this.#waits.push(wait);
      }),
      source.on('wait.ended', ({ waitId, end, waitedMs }) => {
        const wait = open.waits.get(waitId);
        if (wait === undefined) return;
        wait.end = end;
        wait.waitedMs = waitedMs;
        // Its leases are published in this turn.
        queueMicrotask(() => open.waits.delete(waitId));
      }),
      source.on('lease.granted', (event) => {
        const { waitId, leaseId, mode, token } = event;
        const label = open.waits.get(waitId)?.label;
        const subject = this.#subject(source, event, label);
        const hold: HoldRecord = { ...subject, mode, token, end: undefined, heldMs: undefined };
        open.holds.set(leaseId, hold);
        this.#holds.push(hold);
      }),
      source.on('lease.released', ({ leaseId, outcome, heldMs }) => endHold(leaseId, outcome, heldMs)),
      source.on('lease.lost', ({ leaseId, heldMs }) => endHold(leaseId, 'lost', heldMs)),
    ];
    return () => {
      for (const unsubscribe of subscriptions) unsubscribe();
    };
  }

  /** Runs a function. Its waits and holds, and those of what it calls, carry the label. */
  as<R>(label: string, fn: () => R): R {
    return this.#labels.run(label, fn);
  }

  /** Records a hold from now on that no Bedrock grants, for a fake of a lock; gives back what ends it. */
  recordHold({ lock, key = '', label }: FakeHold): () => void {
    const since = this.#clock.now();
    const subject: RecordSubject = { lock, key, label, since };
    const hold: HoldRecord = { ...subject, mode: '', token: 0, end: undefined, heldMs: undefined };
    this.#holds.push(hold);
    return () => {
      if (hold.end !== undefined) return;
      hold.end = 'released';
      hold.heldMs = this.#clock.now() - since;
    };
  }

  /** Names of the locks that were requested so far. */
  get locks(): readonly string[] {
    return [...new Set([...this.#waits, ...this.#holds].map(({ lock }) => lock))];
  }

  /** The waits for a lock, by any key, in the order in which they began. */
  waits(lock: string): readonly RecordedWait[] {
    const now = this.#clock.now();
    return this.#waits
      .filter((wait) => wait.lock === lock)
      .map(({ since, waitedMs = now - since, ...wait }) => ({ ...wait, waitedMs }));
  }

  /** The holds of a lock, by any key, in the order of their grants. */
  holds(lock: string): readonly RecordedHold[] {
    const now = this.#clock.now();
    return this.#holds
      .filter((hold) => hold.lock === lock)
      .map(({ since, heldMs = now - since, ...hold }) => ({ ...hold, heldMs }));
  }

  /** The key of each hold in the order of the grants; for a hold of the whole lock its label, or ''. */
  order(lock: string): readonly string[] {
    return this.holds(lock).map(({ key, label = '' }) => (key === '' ? label : key));
  }

  /** Asserts about one lock: `expectLock('orders').toHaveBeenHeldBy('Orders.place()')`. Needs no `this`. */
  readonly expectLock = (lock: string): LockExpectation => new LockExpectation(this, lock);

  /** Forgets what was recorded so far. */
  clear(): void {
    this.#waits.length = 0;
    this.#holds.length = 0;
  }

  #subject({ prefix }: RecordedSource, origin: EventOrigin, label: string | undefined): RecordSubject {
    const { lock, resource } = origin;
    const key = resource
      .slice(prefix.length + lock.length + 1)
      .replace(ESCAPED, (_escaped, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
    return { lock, key, label, since: this.#clock.now() };
  }
}
