import type { Bedrock, Clock } from 'bedrock-lock';
import { nodesHealth, roundedMs, type NodeHealth } from './node.health.js';
import { unavailableReason } from './unavailable.reason.js';

/** Health of one backend, as seen from this process. */
export interface BackendHealth {
  readonly status: 'up' | 'down';
  /** Round trip, in ms; only when the backend is up. */
  readonly latencyMs?: number;
  /** Number of its locks that this process holds. */
  readonly holding: number;
  /** Number of callers in this process that wait for its locks. */
  readonly waiting: number;
  /** When this process first noticed the outage: ISO 8601. */
  readonly since?: string;
  /** Why it is down: a code or plain words, never an address, a user or a password. */
  readonly error?: string;
  /** The nodes of a combination, in their order. */
  readonly nodes?: readonly NodeHealth[];
}

/** An outage that may still last. */
interface Outage {
  /** Epoch ms. */
  readonly since: number;
  /** Monotonic ms of its latest sign. */
  readonly seenAt: number;
  readonly reason: string;
  /** Number of the backend's grants so far: another grant ends the outage. */
  readonly grants: number;
  /** True if the backend did not answer at all: any answer ends the outage. */
  readonly isSilent: boolean;
}

/**
 * How long a refused claim counts against a backend that answers pings, in ms: read-only, out of memory, in quarantine.
 * Waiters retry at least every second; without waiters, the state is unknown.
 */
const REFUSAL_VALID_MS = 5_000;

const monitors = new WeakMap<Bedrock, BackendMonitor>();

/** Remembers a backend's outages, from the events of its Bedrock and from earlier checks. */
export class BackendMonitor {
  readonly #bedrock: Bedrock;
  readonly #clock: Clock;
  #outage: Outage | undefined;

  /** The one monitor of a Bedrock, shared by all indicators. */
  static of(bedrock: Bedrock, clock: Clock): BackendMonitor {
    let monitor = monitors.get(bedrock);
    if (monitor === undefined) monitors.set(bedrock, (monitor = new BackendMonitor(bedrock, clock)));
    return monitor;
  }

  private constructor(bedrock: Bedrock, clock: Clock) {
    this.#bedrock = bedrock;
    this.#clock = clock;
    const { name } = bedrock.backend;
    bedrock.on('backend.unavailable', ({ error }) =>
      this.#recordOutage(unavailableReason(name, error), false),
    );
  }

  /** Pings the backend; acquires no lock. @throws never */
  async check(timeoutMs: number): Promise<BackendHealth> {
    const { backend, isClosed } = this.#bedrock;
    if (isClosed) return this.#down('the lock service is closing');
    try {
      const latencyMs = await within(this.#clock, timeoutMs, backend.ping());
      if (latencyMs === undefined) return this.#down(`no answer within ${timeoutMs} ms`);
      if (this.#refuses()) return this.#report('down');
      this.#outage = undefined;
      return { ...this.#report('up'), latencyMs: roundedMs(latencyMs) };
    } catch (error) {
      return this.#down(unavailableReason(backend.name, error));
    }
  }

  #down(reason: string): BackendHealth {
    this.#recordOutage(reason, true);
    return this.#report('down');
  }

  #report(status: 'up' | 'down'): BackendHealth {
    const { holds: holding, waiters: waiting } = this.#bedrock.stats();
    const outage = status === 'down' ? this.#outage : undefined;
    const nodes = nodesHealth(this.#bedrock.nodes());
    return {
      status,
      holding,
      waiting,
      ...(outage !== undefined && { since: new Date(outage.since).toISOString(), error: outage.reason }),
      ...(nodes.length > 0 && { nodes }),
    };
  }

  #recordOutage(reason: string, isSilent: boolean): void {
    const last = this.#currentOutage();
    this.#outage = {
      since: last?.since ?? this.#clock.wall(),
      seenAt: this.#clock.now(),
      reason,
      grants: this.#grants(),
      isSilent: isSilent || last?.isSilent === true,
    };
  }

  /** True if the backend recently refused a claim and has granted none since. It may still answer pings. */
  #refuses(): boolean {
    const outage = this.#currentOutage();
    return outage !== undefined && !outage.isSilent && this.#clock.now() - outage.seenAt < REFUSAL_VALID_MS;
  }

  #currentOutage(): Outage | undefined {
    return this.#outage?.grants === this.#grants() ? this.#outage : undefined;
  }

  #grants(): number {
    const { grants, handOvers } = this.#bedrock.stats();
    return grants - handOvers;
  }
}

/** The result of the work, or undefined if it is late. */
async function within<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T | undefined> {
  let stop = (): void => undefined;
  const bound = new Promise<undefined>((resolve) => {
    // Timers run before sockets are read: after an event loop stall, the answer may already have arrived.
    const timer = clock.setTimer(() => clock.afterPoll(() => resolve(undefined)), ms);
    stop = () => clock.clearTimer(timer);
  });
  try {
    return await Promise.race([work, bound]);
  } finally {
    stop();
  }
}
