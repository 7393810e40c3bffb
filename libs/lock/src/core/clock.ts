/**
 * The only module that touches time and randomness. Globals are captured when it loads, so that fake timers
 * installed later (Jest, Sinon) cannot stop a renewal; a test passes a {@link Clock} of its own instead.
 */
import { randomFillSync } from 'node:crypto';
import { uptime } from 'node:os';
import { outsideOfCallers } from './context.js';

const { performance: systemPerformance, Date: SystemDate } = globalThis;
const systemSetTimeout = globalThis.setTimeout;
const systemClearTimeout = globalThis.clearTimeout;
const systemSetImmediate = globalThis.setImmediate;
const systemSetInterval = globalThis.setInterval;
const systemClearInterval = globalThis.clearInterval;
const systemRandom = Math.random;

/** Longest delay of a Node timer, in ms: beyond it `setTimeout` fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** What `setTimer` returns; opaque to callers. */
export type Timer = object;

/**
 * Time, timers and randomness, injectable. Deadlines use `now()`; `wall()` tells of sleep, which
 * that does not count.
 */
export interface Clock {
  /** Monotonic time, in ms with fractions, from an arbitrary origin. */
  now(): number;
  /** Wall-clock time, in epoch ms. */
  wall(): number;
  /**
   * Time since the machine was started, in ms, including its sleep; it may go in steps of 10 ms.
   * Setting the wall clock does not change it. Without it, a wall clock that is set forward by 50
   * ms and more counts as a sleep, which loses locks.
   */
  sinceBoot?(): number | undefined;
  /**
   * Calls `callback` once after `ms` (capped at 2^31 - 1).
   * @param keepsAlive the process does not end by itself before, since a caller waits. @default false
   */
  setTimer(callback: () => void, ms: number, keepsAlive?: boolean): Timer;
  clearTimer(timer: Timer): void;
  /** Calls `callback` after one poll phase: replies that were already received have been read by then. */
  afterPoll(callback: () => void): void;
  /** A number in [0, 1), for jitter only. */
  random(): number;
  /** Bytes from a CSPRNG, for identities. */
  randomBytes(size: number): Uint8Array;
}

export const systemClock: Clock = {
  now: () => systemPerformance.now(),
  wall: () => SystemDate.now(),
  // Elsewhere it goes in whole seconds.
  sinceBoot: () => (process.platform === 'linux' ? uptime() * 1_000 : undefined),
  setTimer(callback, ms, keepsAlive = false) {
    const timer = outsideOfCallers(systemSetTimeout, callback, Math.min(Math.max(ms, 0), MAX_TIMER_MS));
    if (!keepsAlive) timer.unref();
    return timer;
  },
  clearTimer: (timer) => systemClearTimeout(timer as NodeJS.Timeout),
  // Two turns: the first immediate may run in the loop turn that is already past its poll phase.
  afterPoll: (callback) =>
    void outsideOfCallers(systemSetImmediate, () => void systemSetImmediate(() => callback())),
  random: () => systemRandom(),
  randomBytes: (size) => randomFillSync(new Uint8Array(size)),
};

/** The result of `work`, or undefined after `ms`. Leaves no timer. */
export async function atMost<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T | undefined> {
  let timer: Timer | undefined;
  const bound = new Promise<undefined>((resolve) => {
    timer = clock.setTimer(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([work, bound]);
  } finally {
    clock.clearTimer(timer!);
  }
}

/**
 * What `work` gives; rejects with `late()` after `ms`, when the replies that have come by then have
 * been read. Leaves no timer.
 */
export function within<T>(clock: Clock, ms: number, work: Promise<T>, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    // Timers run before sockets are read: the answer may be there already.
    const timer = clock.setTimer(() => clock.afterPoll(() => reject(late())), ms);
    work.then(
      (value) => {
        clock.clearTimer(timer);
        resolve(value);
      },
      (error: Error) => {
        clock.clearTimer(timer);
        reject(error);
      },
    );
  });
}

/**
 * Keeps the process alive while something must still be finished, whatever timers run meanwhile:
 * Node would end in the middle of an `await`. Gives back what ends it.
 */
export function stayAlive(): () => void {
  const timer = outsideOfCallers(systemSetInterval, () => undefined, MAX_TIMER_MS);
  return () => systemClearInterval(timer);
}

/** Resolves after `ms`. @param keepsAlive as in {@link Clock.setTimer} */
export function sleep(clock: Clock, ms: number, keepsAlive = false): Promise<void> {
  return new Promise((resolve) => void clock.setTimer(resolve, ms, keepsAlive));
}

/** A random UUID (version 4, 122 random bits) from the clock's CSPRNG. */
export function randomUuid(clock: Clock): string {
  const bytes = clock.randomBytes(16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
