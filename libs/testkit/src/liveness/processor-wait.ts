import { readFileSync } from 'node:fs';

/** The time that a thread ran, the time that it waited for a processor, both in ns, and its time slices. */
const SCHEDULER_STATISTICS = '/proc/thread-self/schedstat';
const NS_PER_MS = 1e6;

/**
 * How long this thread has waited for a processor so far, in ms, as Linux counts it: also what is too short, or comes
 * too soon after a timer, to make the next timer late. 0 on other systems.
 */
export function processorWaitMs(): number {
  try {
    return Number(readFileSync(SCHEDULER_STATISTICS, 'utf8').split(' ')[1]) / NS_PER_MS;
  } catch {
    return 0;
  }
}
