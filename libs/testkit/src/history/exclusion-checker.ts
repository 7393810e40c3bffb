import { assertHistory } from './assert-history.js';
import type { HistoryReport } from './check-history.js';
import type { HistoryEvent, Share } from './history-event.js';
import { sharedNow } from './history-recorder.js';

/** A body that is checked by when it leaves, and by no lease. */
const NEVER = Number.MAX_SAFE_INTEGER;

/** Records when bodies enter and leave, and asserts that no more of them were inside than the capacity allows. */
export class ExclusionChecker {
  readonly #events: HistoryEvent[] = [];
  #entered = 0;
  #inside = 0;
  #peak = 0;

  constructor(
    /** Units that fit inside beside each other. */
    readonly capacity = 1,
    readonly resource = 'witnessed',
  ) {}

  /** Bodies that have entered. */
  get entered(): number {
    return this.#entered;
  }

  /** Units inside now. */
  get inside(): number {
    return this.#inside;
  }

  /** The most units that were inside at a time: what shows that bodies do run beside each other. */
  get peak(): number {
    return this.#peak;
  }

  /** Runs a body; it takes so many units while it runs. `token` is checked where it is given. */
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

  /** A body enters; what this gives is to be called when it leaves. */
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
