import { assertHistory } from './assert-history.js';
import type { HistoryReport } from './check-history.js';
import type { HistoryEvent, Share } from './history-event.js';
import { sharedNow } from './history-recorder.js';

/** Lease end of a body without a lease: only its exit counts. */
const NEVER = Number.MAX_SAFE_INTEGER;

/** Records when bodies enter and leave, and asserts that the units inside never exceed the capacity. */
export class ExclusionChecker {
  readonly #events: HistoryEvent[] = [];
  #entered = 0;
  #inside = 0;
  #peak = 0;

  constructor(
    /** Units that fit inside at the same time. */
    readonly capacity = 1,
    readonly resource = 'witnessed',
  ) {}

  /** Number of bodies that have entered. */
  get entered(): number {
    return this.#entered;
  }

  /** Units inside now. */
  get inside(): number {
    return this.#inside;
  }

  /** The most units inside at one time: shows that bodies do run concurrently. */
  get peak(): number {
    return this.#peak;
  }

  /** Runs a body, which occupies its units meanwhile. `token` is checked if it is given. */
  async run<T>(
    body: () => T | Promise<T>,
    { units = 1, token = 0 }: { readonly units?: number; readonly token?: number } = {},
  ): Promise<T> {
    const leave = this.enter({ units, capacity: this.capacity }, token);
    try {
      return await body();
    } finally {
      leave();
    }
  }

  /** A body enters; the returned function is to be called when it leaves. */
  enter(share: Share = { units: 1, capacity: this.capacity }, token = 0): () => void {
    const lease = `visit ${++this.#entered}`;
    const facts = { process: lease, resource: this.resource };
    const entered = { ...facts, kind: 'acquired', call: lease, lease, token, share } as const;
    this.#events.push({ ...entered, at: sharedNow(), validUntil: NEVER });
    this.#peak = Math.max(this.#peak, (this.#inside += share.units));
    return () => {
      this.#inside -= share.units;
      this.#events.push({ ...facts, kind: 'releasing', lease, at: sharedNow() });
    };
  }

  /** @throws AssertionError as {@link assertHistory} */
  assertExclusion(): HistoryReport {
    return assertHistory(this.#events);
  }
}
