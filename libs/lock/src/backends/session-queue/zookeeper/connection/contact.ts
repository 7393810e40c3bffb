import type { Clock, Timer } from '../../../../core/clock.js';

/** Probes go out this often at most and at least, in ms. */
const BEAT_MS = { least: 50, most: 1_000 };

/** What is watched over. */
export interface Watched {
  /** Asks the server for anything; resolves with the answer, whatever it says. */
  probe(): Promise<unknown>;
  /** Gives the connection up, so that another server is tried. */
  giveUp(): void;
}

/**
 * Notices a server that is silent. The client library has no read time-out of its own: before a frozen server it stays
 * connected for ever, and so it does where the connection stands and the session is never confirmed.
 */
export class Contact {
  #isConnected = false;
  #since: number;
  /** When the probe under way was sent. */
  #probedAt: number | undefined;
  #heardAt = 0;
  #timer: Timer | undefined;

  /** @param silenceMs longer than this, there is no contact */
  constructor(
    private readonly clock: Clock,
    private readonly watched: Watched,
    private silenceMs: number,
  ) {
    this.#since = clock.now();
    this.#beat();
  }

  /** The connection came or went. */
  changed(isConnected: boolean, silenceMs = this.silenceMs): void {
    this.#isConnected = isConnected;
    this.silenceMs = silenceMs;
    this.#since = this.clock.now();
    this.#probedAt = undefined;
  }

  /** Something came: a probe behind many requests is answered late, and the others' answers are contact too. */
  heard(): void {
    this.#heardAt = this.clock.now();
  }

  stop(): void {
    if (this.#timer !== undefined) this.clock.clearTimer(this.#timer);
  }

  #beat(): void {
    const ms = Math.max(BEAT_MS.least, Math.min(BEAT_MS.most, this.silenceMs / 3));
    this.#timer = this.clock.setTimer(() => {
      this.#beat();
      // After a stall of this process the answer may be there, and unread.
      this.clock.afterPoll(() => this.#look());
    }, ms);
  }

  #look(): void {
    const now = this.clock.now();
    const waitingSince = this.#isConnected ? this.#probedAt : this.#since;
    if (waitingSince !== undefined && now - Math.max(waitingSince, this.#heardAt) > this.silenceMs) {
      this.#since = now;
      this.#probedAt = undefined;
      return this.watched.giveUp();
    }
    if (!this.#isConnected || this.#probedAt !== undefined) return;
    this.#probedAt = now;
    const answered = (): void => {
      if (this.#probedAt === now) this.#probedAt = undefined;
    };
    this.watched.probe().then(answered, () => undefined);
  }
}
