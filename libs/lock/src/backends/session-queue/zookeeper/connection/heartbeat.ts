import type { Clock, Timer } from '../../../../core/clock.js';

/** Probes go out this often at most and at least, in ms. */
const INTERVAL_MS = { least: 50, most: 1_000 };

/** The connection that is watched. */
export interface HeartbeatTarget {
  /** Asks the server for anything; resolves with the answer, whatever it says. */
  probe(): Promise<unknown>;
  /** Gives the connection up, so that another server is tried. */
  disconnect(): void;
}

/**
 * Notices a silent server, since the client library has no read time-out of its own. It would stay
 * connected to a frozen server forever. It would do the same if a connection stands but the session
 * is never confirmed.
 */
export class Heartbeat {
  #isConnected = false;
  #stateSince: number;
  /** When the probe in flight was sent. */
  #probedAt: number | undefined;
  #receivedAt = 0;
  #timer: Timer | undefined;

  /** @param silenceLimitMs a longer silence means that contact is lost */
  constructor(
    private readonly clock: Clock,
    private readonly target: HeartbeatTarget,
    private silenceLimitMs: number,
  ) {
    this.#stateSince = clock.now();
    this.#schedule();
  }

  /** The connection came or went. */
  connectionChanged(isConnected: boolean, silenceLimitMs = this.silenceLimitMs): void {
    this.#isConnected = isConnected;
    this.silenceLimitMs = silenceLimitMs;
    this.#stateSince = this.clock.now();
    this.#probedAt = undefined;
  }

  /** Something came: a probe behind many requests is answered late, and the others' answers are contact too. */
  received(): void {
    this.#receivedAt = this.clock.now();
  }

  stop(): void {
    if (this.#timer !== undefined) this.clock.clearTimer(this.#timer);
  }

  #schedule(): void {
    const ms = Math.max(INTERVAL_MS.least, Math.min(INTERVAL_MS.most, this.silenceLimitMs / 3));
    this.#timer = this.clock.setTimer(() => {
      this.#schedule();
      // After a stall of this process the answer may be there, and unread.
      this.clock.afterPoll(() => this.#check());
    }, ms);
  }

  #check(): void {
    const now = this.clock.now();
    const waitingSince = this.#isConnected ? this.#probedAt : this.#stateSince;
    if (waitingSince !== undefined && now - Math.max(waitingSince, this.#receivedAt) > this.silenceLimitMs) {
      this.#stateSince = now;
      this.#probedAt = undefined;
      return this.target.disconnect();
    }
    if (!this.#isConnected || this.#probedAt !== undefined) return;
    this.#probedAt = now;
    const answered = (): void => {
      if (this.#probedAt === now) this.#probedAt = undefined;
    };
    this.target.probe().then(answered, () => undefined);
  }
}
