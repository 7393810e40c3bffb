import { EventQueue, PHASE, type EventHost, type WorldEvent } from './event-queue.js';
import { Prng } from './prng.js';

// Real, and the only thing that is: between two events, all promises and ticks of the first are run to their end.
const nextTurn = setImmediate;

/** More events than any instant has: a timer that sets itself again without delay. */
const MOST_AT_ONCE = 100_000;

export type Trace = (at: number, who: string, what: string) => void;

/** One clock, one source of chance, and the future events. */
export class World {
  /** ms since the beginning. */
  now = 0;
  readonly prng: Prng;
  /** Events so far. */
  events = 0;
  readonly #queue = new EventQueue();
  #numbers = 0;
  /** Events at this instant so far. */
  #atOnce = 0;

  constructor(
    readonly seed: number,
    private readonly trace?: Trace,
  ) {
    this.prng = new Prng(seed);
  }

  get isTraced(): boolean {
    return this.trace !== undefined;
  }

  /** @param what called only if there is a listener */
  tell(who: string, what: () => string, at = this.now): void {
    this.trace?.(at, who, what());
  }

  at(at: number, run: () => void, host?: EventHost, phase: number = PHASE.message): WorldEvent {
    this.#numbers += 1;
    const due = Math.max(at, this.now);
    const event = { at: due, phase, due, number: this.#numbers, run, host, isCancelled: false };
    this.#queue.push(event);
    return event;
  }

  after(ms: number, run: () => void): WorldEvent {
    return this.at(this.now + ms, run);
  }

  /** Runs the events that are due until then. */
  async run(until: number): Promise<void> {
    for (let event = this.#queue.next; event !== undefined && event.at <= until; event = this.#queue.next) {
      this.#queue.pop();
      this.#atOnce = event.at > this.now ? 0 : this.#atOnce + 1;
      if (this.#atOnce > MOST_AT_ONCE) throw new Error(`time stands still at ${this.now}`);
      this.now = event.at;
      if (await this.#happen(event)) this.events += 1;
    }
    this.now = Math.max(this.now, until);
  }

  async #happen(event: WorldEvent): Promise<boolean> {
    const { host, isCancelled } = event;
    if (isCancelled || host?.isDead === true) return false;
    if (host !== undefined && host.stoppedUntil > this.now) {
      event.at = host.stoppedUntil;
      this.#queue.push(event);
      return false;
    }
    event.run();
    if (host?.runsCode !== true) return true;
    await new Promise((resolve) => nextTurn(resolve));
    host.settled();
    return true;
  }
}
