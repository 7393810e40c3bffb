import { sleep, type Clock } from '../../core/clock.js';

/** A long read pauses after a page for this many times as long as the page took: the server works for it 3 % of the time at most. */
const PAUSES_PER_PAGE = 32;

/** A page that took longer has waited for a connection, or for a machine that slept, ms. */
const LONGEST_PAUSE_MS = 10_000;

/** Pauses before the next page. @param askedAt when the last one was asked for, local ms */
export function pauseAfterPage(clock: Clock, askedAt: number): Promise<void> {
  return sleep(clock, Math.min(LONGEST_PAUSE_MS, (clock.now() - askedAt) * PAUSES_PER_PAGE));
}
