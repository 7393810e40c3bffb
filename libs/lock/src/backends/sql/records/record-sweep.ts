import { sleep, type Clock, type Timer } from '../../../core/clock.js';
import type { RecordTable } from './record-table.js';

/** Records that are over are looked for this often, in ms, and as much later by chance. */
const SWEEP_MS = 60_000;
/** Records in one such statement, at most. */
const SWEPT_AT_ONCE = 256;

export interface RecordSweepDeps {
  readonly clock: Clock;
  readonly table: RecordTable;
  readonly operationTimeoutMs: number;
}

/**
 * Removes records that are over, in the background: batch after batch until one is not full. The
 * pauses are as long as the batches. So the sweep keeps up with any rate of new records, and takes
 * at most half of one connection.
 */
export class RecordSweep {
  #timer: Timer | undefined;
  #isSweeping = false;
  #isClosed = false;

  constructor(private readonly deps: RecordSweepDeps) {}

  /** Sweeps from now on. A process that makes no records never sweeps. */
  start(): void {
    if (this.#timer !== undefined || this.#isSweeping || this.#isClosed) return;
    const { clock } = this.deps;
    const pauseMs = SWEEP_MS * (1 + clock.random());
    this.#timer = clock.setTimer(() => {
      this.#timer = undefined;
      this.#isSweeping = true;
      const swept = this.#sweep().catch(() => undefined);
      void swept.then(() => {
        this.#isSweeping = false;
        this.start();
      });
    }, pauseMs);
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== undefined) this.deps.clock.clearTimer(this.#timer);
  }

  async #sweep(): Promise<void> {
    const { clock, table, operationTimeoutMs } = this.deps;
    const end = clock.now() + SWEEP_MS;
    while (!this.#isClosed) {
      const startedAt = clock.now();
      const seen = await table.sweep(SWEPT_AT_ONCE, startedAt + operationTimeoutMs);
      if (seen < SWEPT_AT_ONCE || clock.now() >= end) return;
      await sleep(clock, clock.now() - startedAt);
    }
  }
}
