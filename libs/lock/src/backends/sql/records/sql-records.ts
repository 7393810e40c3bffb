import type { RecordDriver } from '../../../core/ports/ports.js';
import type { RecordRef, RecordStart, RecordView } from '../../../core/ports/records.js';
import type { DatabaseTime } from '../connection/database-time.js';
import type { Failures } from '../connection/failures.js';
import { lifeUsOf } from '../rows/place.js';
import { RecordSweep, type SweepTerms } from './record-sweep.js';

export interface RecordsGround extends SweepTerms {
  readonly failures: Failures;
  readonly time: DatabaseTime;
  /** Asks for the database's time, µs. */
  readonly askTime: () => Promise<number>;
}

/** Records as rows of a database. Requests under one key stand in no line: the row decides. */
export class SqlRecords implements RecordDriver {
  readonly #sweep: RecordSweep;

  constructor(private readonly ground: RecordsGround) {
    this.#sweep = new RecordSweep(ground);
  }

  async begin(start: RecordStart): Promise<RecordView | undefined> {
    const { resource, owner, fingerprint, leaseMs, notAfter } = start;
    const { clock, table, failures, time, askTime } = this.ground;
    this.#sweep.start();
    const by = this.#by();
    await time.whenKnown(askTime);
    while (clock.now() <= Math.min(by, notAfter)) {
      const notAfterUs = time.notLaterThan(notAfter);
      const terms = { resource, owner, fingerprint, lifeUs: lifeUsOf(leaseMs), notAfterUs };
      const answer = await table.begin(terms, by);
      if (answer === 'made') return undefined;
      if (answer !== undefined) return answer;
      // It ended or was removed just then, or the database's time is known too vaguely: nothing was done.
      time.learn(await askTime());
    }
    throw failures.notDone('the record could not be made in time: others make and remove it again and again');
  }

  renew(ref: RecordRef, leaseMs: number): Promise<boolean> {
    return this.ground.table.renew(ref, lifeUsOf(leaseMs), this.#by());
  }

  complete(ref: RecordRef, value: string, keepMs: number): Promise<boolean> {
    return this.ground.table.complete(ref, value, lifeUsOf(keepMs), this.#by());
  }

  abandon(ref: RecordRef): Promise<boolean> {
    return this.ground.table.abandon(ref, this.#by());
  }

  read(resource: string): Promise<RecordView | undefined> {
    return this.ground.table.read(resource, this.#by());
  }

  remove(resource: string): Promise<boolean> {
    return this.ground.table.remove(resource, this.#by());
  }

  /** Sweeps no more. */
  close(): void {
    this.#sweep.close();
  }

  #by(): number {
    return this.ground.clock.now() + this.ground.operationTimeoutMs;
  }
}
