import { StalledTime } from '../liveness/stalled-time.js';
import type { History } from './history-event.js';

/** Stalls of each process's event loop; bounds on promptness are extended by this time. */
export class Stalls {
  readonly #times = new Map<string, StalledTime>();

  constructor(history: History) {
    for (const event of history) {
      if (event.kind !== 'stalled') continue;
      const time = this.#times.get(event.process) ?? new StalledTime();
      time.add(event.at, event.lateMs);
      this.#times.set(event.process, time);
    }
  }

  /** How much of [from, to] the process was stalled, in ms. */
  within(process: string, from: number, to: number): number {
    return this.#times.get(process)?.within(from, to) ?? 0;
  }

  /** The same for the process that was stalled longest. */
  longestWithin(from: number, to: number): number {
    return Math.max(0, ...Array.from(this.#times.values(), (time) => time.within(from, to)));
  }
}
