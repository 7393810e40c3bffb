import type { SimProcess } from '../world/sim-process.js';

/** I9: everything settles so long after its bound at the latest, ms. */
const SETTLE_MS = 100;

/**
 * What must settle within a time that counts from its first request: while the process stands still, no time passes for it.
 * Waits with a deadline by the clock are checked by the history.
 */
export class SettlementTracker {
  readonly #open = new Set<string>();

  constructor(
    private readonly process: SimProcess,
    private readonly reportProblem: (text: string) => void,
  ) {}

  /** What has not settled yet. */
  get open(): readonly string[] {
    return [...this.#open];
  }

  /** @param withinMs local ms. @returns the function to call when it has settled */
  expect(what: string, withinMs: number): () => void {
    const { process } = this;
    const beganAt = process.toLocal(process.time - process.stalledMs);
    this.#open.add(what);
    return () => {
      this.#open.delete(what);
      const lateMs = process.toLocal(process.time - process.stalledMs) - beganAt - withinMs;
      if (lateMs > SETTLE_MS) this.reportProblem(`I9: ${what} settled ${lateMs.toFixed(1)} ms late`);
    };
  }
}
