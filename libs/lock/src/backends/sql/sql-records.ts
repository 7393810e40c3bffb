import type { RecordDriver } from '../../core/ports.js';
import type { RecordRef, RecordStart, RecordView } from '../../core/records.js';
import type { Failures } from './failures.js';
import { lifeUsOf } from './place.js';
import { RecordSweep, type SweepTerms } from './record-sweep.js';

export interface RecordsGround extends SweepTerms {
  readonly failures: Failures;
}

/** Records as rows of a database. Requests under one key stand in no line: the row decides. */
export class SqlRecords implements RecordDriver {
  readonly #sweep: RecordSweep;

  constructor(private readonly ground: RecordsGround) {
    this.#sweep = new RecordSweep(ground);
  }

  async begin({ resource, owner, fingerprint, leaseMs }: RecordStart): Promise<RecordView | undefined> {
    const { clock, table, failures } = this.ground;
    this.#sweep.start();
    const by = this.#by();
    const start = { resource, owner, fingerprint, lifeUs: lifeUsOf(leaseMs) };
    do {
      const answer = await table.begin(start, by);
      if (answer === 'made') return undefined;
      if (answer !== undefined) return answer;
      // It ended or was removed just then: the answer is neither that it was made nor that it is there.
    } while (clock.now() < by);
    throw failures.notDone('others make and remove the record again and again');
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
