import type { Clock, Timer } from '../../../libs/lock/src/core/clock.js';
import { PHASE, type EventHost, type WorldEvent } from './event-queue.js';
import type { Prng } from './prng.js';
import type { World } from './world.js';

/** The epoch at which worlds begin, ms. */
export const EPOCH = 1_700_000_000_000;

/** Code that runs longer than this is spoken of as a stall, ms. */
const NOTICEABLE_MS = 1;

/** What waits in a process for something looks at the clock at least so often, ms. */
const CLOCK_CHECK_MS = 1_000;

interface SimTimer {
  event: WorldEvent | undefined;
}

export interface ProcessSettings {
  /** Local ms per ms of the world. */
  readonly rate: number;
  /** How often it is interrupted for a while, between any two statements that look at the clock. */
  readonly hiccupShare: number;
  readonly longestHiccupMs: number;
}

/** A process of the application, with a clock and timers of its own. It may be stopped, blocked, or killed. */
export class SimProcess implements EventHost, Clock {
  readonly runsCode = true;
  isDead = false;
  stoppedUntil = 0;
  /** The code that runs just now has taken so long already, ms. */
  #ahead = 0;
  /** How long it has stood still so far, ms. */
  #stalledMs = 0;
  /** How long its machine has slept so far, by no clock but the wall's; and how long all of its clocks stood still, ms. */
  #sleptMs = 0;
  #frozenMs = 0;
  #asleepUntil = 0;
  readonly #prng: Prng;
  readonly #origin: number;
  readonly #wallError: number;
  readonly #timers = new Set<SimTimer>();

  constructor(
    readonly world: World,
    readonly name: string,
    private readonly settings: ProcessSettings,
    /** It could not run for so long, until `at`. */
    private readonly onStalled: (at: number, lateMs: number) => void,
  ) {
    this.#prng = world.prng.fork();
    this.#origin = this.#prng.between(10, 100_000);
    this.#wallError = this.#prng.between(-100_000, 100_000);
  }

  /** World time as it is for the code that runs here. */
  get time(): number {
    return this.world.now + this.#ahead;
  }

  /** How long it has stood still so far, with the code that runs just now, ms. */
  get stalledMs(): number {
    return this.#stalledMs + this.#ahead;
  }

  get pendingTimers(): number {
    return this.#timers.size;
  }

  tell(what: () => string): void {
    this.world.tell(this.name, what, this.time);
  }

  // The clock, as the library has it.

  now(): number {
    const { hiccupShare, longestHiccupMs } = this.settings;
    if (hiccupShare > 0 && this.#prng.chance(hiccupShare)) this.block(this.#prng.between(0, longestHiccupMs));
    return this.toLocal(this.time);
  }

  wall(): number {
    return EPOCH + this.#wallError + (this.time - this.#frozenMs) * this.settings.rate;
  }

  /** As Node has it: counted in whole ms from the last whole one, so up to one early. */
  setTimer(callback: () => void, ms: number): Timer {
    // A whole ms except for rounding counts as one: else a timer could fire at the instant at which it was set.
    const whole = Math.floor(this.toLocal(this.time) + 1e-6);
    const local = whole + Math.max(1, Math.trunc(Math.min(ms, 2 ** 31 - 1)));
    const timer: SimTimer = { event: undefined };
    const run = (): void => {
      // The machine has slept meanwhile, and the clock of timers has not counted that.
      if (this.toLocal(this.world.now) < local - 1e-3) return arm();
      this.#timers.delete(timer);
      callback();
    };
    const arm = (): void => {
      timer.event = this.world.at(Math.max(this.toWorld(local), this.time), run, this, PHASE.timer);
    };
    arm();
    this.#timers.add(timer);
    return timer;
  }

  clearTimer(timer: Timer): void {
    const known = timer as SimTimer;
    known.event!.isCancelled = true;
    this.#timers.delete(known);
  }

  afterPoll(callback: () => void): void {
    this.world.at(this.time + 0.02, callback, this, PHASE.poll);
  }

  random(): number {
    return this.#prng.next();
  }

  randomBytes(size: number): Uint8Array {
    return Uint8Array.from({ length: size }, () => this.#prng.whole(0, 255));
  }

  // What happens to it.

  toLocal(worldMs: number): number {
    return this.#origin + (worldMs - this.#sleptMs - this.#frozenMs) * this.settings.rate;
  }

  toWorld(localMs: number): number {
    return (localMs - this.#origin) / this.settings.rate + this.#sleptMs + this.#frozenMs;
  }

  /** Something arrives here. */
  receive(at: number, run: () => void): WorldEvent {
    return this.world.at(at, run, this);
  }

  /** Runs code in this process, now. */
  begin(run: () => void): void {
    this.world.at(this.world.now, run, this);
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.setTimer(resolve, ms));
  }

  /** The code that runs just now takes so long, and nothing else runs here meanwhile. */
  block(ms: number): void {
    this.#ahead += ms;
  }

  /** Stops it from outside; it goes on as if nothing had been. */
  stop(ms: number): void {
    this.tell(() => `stopped for ${ms.toFixed(1)} ms`);
    const until = Math.max(this.stoppedUntil, this.world.now + ms);
    this.#stalledMs += until - Math.max(this.stoppedUntil, this.world.now);
    this.onStalled(until, until - this.world.now);
    this.stoppedUntil = until;
  }

  /** Its machine sleeps: its monotonic clock stands still, its timers with it, and the wall clock goes on. */
  suspend(ms: number): void {
    this.#rest(ms, 'sleeps');
    this.#sleptMs += ms;
  }

  /** Its machine stands still and no clock of it knows, as when it is moved to another host. */
  freeze(ms: number): void {
    this.#rest(ms, 'is frozen');
    this.#frozenMs += ms;
  }

  kill(): void {
    this.tell(() => 'killed');
    this.isDead = true;
  }

  /** Its machine sleeps or stands still. */
  get isAsleep(): boolean {
    return this.#asleepUntil > this.world.now;
  }

  /** Nothing runs here just now. */
  get isResting(): boolean {
    return this.stoppedUntil > this.world.now;
  }

  #rest(ms: number, how: string): void {
    this.tell(() => `${how} for ${ms.toFixed(1)} ms`);
    const until = this.world.now + ms;
    this.stoppedUntil = until;
    this.#asleepUntil = until;
    // Its timers are late by as much as it slept, and it looks at the clock once a second.
    this.onStalled(until + CLOCK_CHECK_MS, ms + CLOCK_CHECK_MS);
  }

  settled(): void {
    const ms = this.#ahead;
    this.#ahead = 0;
    if (ms > NOTICEABLE_MS) this.stop(ms);
    else if (ms > 0) this.stoppedUntil = Math.max(this.stoppedUntil, this.world.now + ms);
  }
}
