import { sleep, type Clock } from '../../core/clock.js';

/** A long read pauses after a page for this many times as long as the page took: the server works for it 3 % of the time at most. */
const PAUSES_PER_PAGE = 32;

/** Pauses before the next page. @param askedAt when the last one was asked for, local ms */
export function pauseAfterPage(clock: Clock, askedAt: number): Promise<void> {
  return sleep(clock, (clock.now() - askedAt) * PAUSES_PER_PAGE);
}
