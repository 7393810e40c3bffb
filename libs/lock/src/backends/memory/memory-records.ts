import type { Clock } from '../../core/clock.js';
import { BackendUnavailableError } from '../../core/errors.js';
import type { RecordDriver } from '../../core/ports/ports.js';
import type { RecordRef, RecordStart, RecordView } from '../../core/ports/records.js';

interface Row extends Omit<RecordView, 'remainingMs'> {
  readonly untilMs: number;
}

/** Rows that are looked at for each new one, so that those which are over do not gather. */
const SWEPT_AT_ONCE = 2;

/** The records of a store. */
export class MemoryRows {
  // In order of making: what was made first is looked at first.
  readonly #rows = new Map<string, Row>();

  constructor(private readonly clock: Clock) {}

  /** @throws BackendUnavailableError */
  begin({ resource, owner, fingerprint, leaseMs, notAfter }: RecordStart): RecordView | undefined {
    if (this.clock.now() > notAfter) throw new BackendUnavailableError('memory', 'a stale request', 'no');
    const row = this.#at(resource);
    if (row !== undefined && (row.owner !== owner || row.value !== undefined)) return this.read(resource);
    this.#rows.set(resource, { owner, fingerprint, value: undefined, untilMs: this.clock.now() + leaseMs });
    this.#sweep();
    return undefined;
  }

  renew({ resource, owner }: RecordRef, leaseMs: number): boolean {
    const row = this.#at(resource);
    if (row?.owner !== owner || row.value !== undefined) return false;
    this.#rows.set(resource, { ...row, untilMs: this.clock.now() + leaseMs });
    return true;
  }

  complete({ resource, owner }: RecordRef, value: string, keepMs: number): boolean {
    const row = this.#at(resource);
    if (row?.owner !== owner) return false;
    if (row.value !== undefined) return row.value === value;
    this.#rows.set(resource, { ...row, value, untilMs: this.clock.now() + keepMs });
    return true;
  }

  abandon({ resource, owner }: RecordRef): boolean {
    const row = this.#at(resource);
    return row?.owner === owner && row.value === undefined && this.#rows.delete(resource);
  }

  read(resource: string): RecordView | undefined {
    const row = this.#at(resource);
    if (row === undefined) return undefined;
    const { owner, fingerprint, value, untilMs } = row;
    return { owner, fingerprint, value, remainingMs: untilMs - this.clock.now() };
  }

  remove(resource: string): boolean {
    return this.#at(resource) !== undefined && this.#rows.delete(resource);
  }

  #at(resource: string): Row | undefined {
    const row = this.#rows.get(resource);
    return row !== undefined && row.untilMs > this.clock.now() ? row : undefined;
  }

  #sweep(): void {
    let looked = 0;
    for (const [resource, row] of this.#rows) {
      if (looked++ === SWEPT_AT_ONCE) return;
      this.#rows.delete(resource);
      // What goes on living is looked at again when its turn comes.
      if (row.untilMs > this.clock.now()) this.#rows.set(resource, row);
    }
  }
}

/** One "process" on the records of a store. */
export class MemoryRecords implements RecordDriver {
  constructor(
    private readonly rows: MemoryRows,
    private readonly assertOpen: () => void,
  ) {}

  async begin(start: RecordStart): Promise<RecordView | undefined> {
    return this.#rows.begin(start);
  }

  async renew(ref: RecordRef, leaseMs: number): Promise<boolean> {
    return this.#rows.renew(ref, leaseMs);
  }

  async complete(ref: RecordRef, value: string, keepMs: number): Promise<boolean> {
    return this.#rows.complete(ref, value, keepMs);
  }

  async abandon(ref: RecordRef): Promise<boolean> {
    return this.#rows.abandon(ref);
  }

  async read(resource: string): Promise<RecordView | undefined> {
    return this.#rows.read(resource);
  }

  async remove(resource: string): Promise<boolean> {
    return this.#rows.remove(resource);
  }

  get #rows(): MemoryRows {
    this.assertOpen();
    return this.rows;
  }
}
