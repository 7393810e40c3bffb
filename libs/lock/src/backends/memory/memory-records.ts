import type { Clock } from '../../core/clock.js';
import { BackendUnavailableError } from '../../core/errors.js';
import type { RecordDriver } from '../../core/ports/ports.js';
import type { RecordRef, RecordStart, RecordView } from '../../core/ports/records.js';

interface MemoryRecord extends Omit<RecordView, 'remainingMs'> {
  readonly untilMs: number;
}

/** Records checked at each insert, so that expired ones do not pile up. */
const SWEPT_PER_INSERT = 2;

/** The records of a store. */
export class MemoryRecordStore {
  // In order of insertion: the oldest are checked first.
  readonly #records = new Map<string, MemoryRecord>();

  constructor(private readonly clock: Clock) {}

  /** @throws BackendUnavailableError */
  begin({ resource, owner, fingerprint, leaseMs, notAfter }: RecordStart): RecordView | undefined {
    if (this.clock.now() > notAfter) throw new BackendUnavailableError('memory', 'a stale request', 'no');
    const record = this.#at(resource);
    if (record !== undefined && (record.owner !== owner || record.value !== undefined))
      return this.read(resource);
    this.#records.set(resource, {
      owner,
      fingerprint,
      value: undefined,
      untilMs: this.clock.now() + leaseMs,
    });
    this.#sweep();
    return undefined;
  }

  renew({ resource, owner }: RecordRef, leaseMs: number): boolean {
    const record = this.#at(resource);
    if (record?.owner !== owner || record.value !== undefined) return false;
    this.#records.set(resource, { ...record, untilMs: this.clock.now() + leaseMs });
    return true;
  }

  complete({ resource, owner }: RecordRef, value: string, keepMs: number): boolean {
    const record = this.#at(resource);
    if (record?.owner !== owner) return false;
    if (record.value !== undefined) return record.value === value;
    this.#records.set(resource, { ...record, value, untilMs: this.clock.now() + keepMs });
    return true;
  }

  abandon({ resource, owner }: RecordRef): boolean {
    const record = this.#at(resource);
    return record?.owner === owner && record.value === undefined && this.#records.delete(resource);
  }

  read(resource: string): RecordView | undefined {
    const record = this.#at(resource);
    if (record === undefined) return undefined;
    const { owner, fingerprint, value, untilMs } = record;
    return { owner, fingerprint, value, remainingMs: untilMs - this.clock.now() };
  }

  remove(resource: string): boolean {
    return this.#at(resource) !== undefined && this.#records.delete(resource);
  }

  #at(resource: string): MemoryRecord | undefined {
    const record = this.#records.get(resource);
    return record !== undefined && record.untilMs > this.clock.now() ? record : undefined;
  }

  #sweep(): void {
    let looked = 0;
    for (const [resource, record] of this.#records) {
      if (looked++ === SWEPT_PER_INSERT) return;
      this.#records.delete(resource);
      // A record that lives on moves to the end of the order.
      if (record.untilMs > this.clock.now()) this.#records.set(resource, record);
    }
  }
}

/** One "process" on the records of a store. */
export class MemoryRecordDriver implements RecordDriver {
  constructor(
    private readonly store: MemoryRecordStore,
    private readonly assertOpen: () => void,
  ) {}

  async begin(start: RecordStart): Promise<RecordView | undefined> {
    return this.#store.begin(start);
  }

  async renew(ref: RecordRef, leaseMs: number): Promise<boolean> {
    return this.#store.renew(ref, leaseMs);
  }

  async complete(ref: RecordRef, value: string, keepMs: number): Promise<boolean> {
    return this.#store.complete(ref, value, keepMs);
  }

  async abandon(ref: RecordRef): Promise<boolean> {
    return this.#store.abandon(ref);
  }

  async read(resource: string): Promise<RecordView | undefined> {
    return this.#store.read(resource);
  }

  async remove(resource: string): Promise<boolean> {
    return this.#store.remove(resource);
  }

  get #store(): MemoryRecordStore {
    this.assertOpen();
    return this.store;
  }
}
