import type { RecordDriver } from '../../../core/ports/ports.js';
import type { RecordRef, RecordStart, RecordView } from '../../../core/ports/records.js';
import type { ClockOffset } from '../../kit/clock-offset.js';
import type { BackendErrors } from '../connection/failures.js';
import { lifeUsOf } from '../rows/row-state.js';
import { RecordSweep, type RecordSweepDeps } from './record-sweep.js';

export interface SqlRecordsDeps extends RecordSweepDeps {
  readonly errors: BackendErrors;
  readonly clockOffset: ClockOffset;
  /** Asks for the database's time, µs. */
  readonly readTime: () => Promise<number>;
}

/** Records as rows of a database. Requests under one key wait in no queue: the row decides. */
export class SqlRecords implements RecordDriver {
  readonly #sweep: RecordSweep;

  constructor(private readonly deps: SqlRecordsDeps) {
    this.#sweep = new RecordSweep(deps);
  }

  async begin(start: RecordStart): Promise<RecordView | undefined> {
    const { resource, owner, fingerprint, leaseMs, notAfter } = start;
    const { clock, table, errors, clockOffset, readTime } = this.deps;
    this.#sweep.start();
    const deadline = this.#deadline();
    await clockOffset.whenKnown(readTime);
    while (clock.now() <= Math.min(deadline, notAfter)) {
      const notAfterUs = clockOffset.earliestServerTime(notAfter);
      const insert = { resource, owner, fingerprint, lifeUs: lifeUsOf(leaseMs), notAfterUs };
      const answer = await table.begin(insert, deadline);
      if (answer === 'made') return undefined;
      if (answer !== undefined) return answer;
      // It ended or was removed just then, or the database's time is known too vaguely: nothing was done.
      clockOffset.addSample(await readTime());
    }
    throw errors.notExecuted(
      'the record could not be made in time: others make and remove it again and again',
    );
  }

  renew(ref: RecordRef, leaseMs: number): Promise<boolean> {
    return this.deps.table.renew(ref, lifeUsOf(leaseMs), this.#deadline());
  }

  complete(ref: RecordRef, value: string, keepMs: number): Promise<boolean> {
    return this.deps.table.complete(ref, value, lifeUsOf(keepMs), this.#deadline());
  }

  abandon(ref: RecordRef): Promise<boolean> {
    return this.deps.table.abandon(ref, this.#deadline());
  }

  read(resource: string): Promise<RecordView | undefined> {
    return this.deps.table.read(resource, this.#deadline());
  }

  remove(resource: string): Promise<boolean> {
    return this.deps.table.remove(resource, this.#deadline());
  }

  /** Sweeps no more. */
  close(): void {
    this.#sweep.close();
  }

  #deadline(): number {
    return this.deps.clock.now() + this.deps.operationTimeoutMs;
  }
}
