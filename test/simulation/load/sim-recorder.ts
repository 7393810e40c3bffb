import type { Bedrock } from '../../../libs/lock/src/bedrock.js';
import type { ReleaseOutcome } from '../../../libs/lock/src/core/events.js';
import type { Lease } from '../../../libs/lock/src/engine/holding/lease.js';
import type { HistoryEvent, Share } from '../../../libs/testkit/src/history/history-event.js';
import type { SimProcess } from '../world/sim-process.js';

/** An event without its time and process, which are added. */
type EventToRecord = HistoryEvent extends infer E
  ? E extends HistoryEvent
    ? Omit<E, 'at' | 'process'>
    : never
  : never;

const STATEMENT_MS = 0.001;

/** Writes down what one process does with its locks, in world time. */
export class SimRecorder {
  /** Of leases that have become others: a writer that reads. */
  readonly #names = new Map<string, string>();
  #calls = 0;

  constructor(
    readonly process: SimProcess,
    private readonly history: HistoryEvent[],
  ) {}

  record(event: EventToRecord): void {
    const { process } = this;
    // No two things happen at the same instant.
    process.block(STATEMENT_MS);
    process.tell(() => `* ${Object.values(event).join(' ')}`);
    this.history.push({ at: process.time, process: process.name, ...event });
  }

  /** @param waitMs local ms to the answer at the latest; undefined where no clock bounds it */
  asked(resource: string, waitMs?: number): string {
    const call = `${this.process.name}#${++this.#calls}`;
    const { process } = this;
    const deadline = waitMs && process.toWorld(process.toLocal(process.time) + waitMs);
    this.record({ kind: 'asked', resource, call, ...(deadline !== undefined && { deadline }) });
    return call;
  }

  acquired(call: string, lease: Lease, share: Share | undefined): void {
    const { id, resource, token } = lease;
    const validUntil = this.process.toWorld(lease.validUntil);
    const what = { resource, call, lease: id, token, validUntil };
    this.record({ kind: 'acquired', ...what, ...(share !== undefined && { share }) });
  }

  failed(call: string, resource: string, error: unknown): void {
    const { code = 'NO_CODE' } = error as { code?: string };
    this.record({ kind: 'failed', resource, call, code });
  }

  observe(lease: Lease): boolean {
    this.process.block(STATEMENT_MS);
    const { time: at, name: process } = this.process;
    const { isHeld, resource } = lease;
    this.history.push({ at, process, kind: 'seen', resource, lease: this.nameOf(lease.id), isHeld });
    return isHeld;
  }

  releasing({ id, resource }: Lease): void {
    this.record({ kind: 'releasing', resource, lease: this.nameOf(id) });
  }

  released({ id, resource }: Lease, outcome: ReleaseOutcome): void {
    this.record({ kind: 'released', resource, lease: this.nameOf(id), outcome });
  }

  extended(lease: Lease): void {
    const validUntil = this.process.toWorld(lease.validUntil);
    this.record({ kind: 'renewed', resource: lease.resource, lease: this.nameOf(lease.id), validUntil });
  }

  /** A writer reads from now on: for the history, one lease ends and another begins. */
  downgrading(lease: Lease, share: Share): void {
    this.releasing(lease);
    this.released(lease, 'released');
    this.#names.set(lease.id, `${lease.id} as reader`);
    const { resource, validUntil } = lease;
    const what = { resource, call: '', lease: this.nameOf(lease.id), token: 0, share };
    this.record({ kind: 'acquired', ...what, validUntil: this.process.toWorld(validUntil) });
  }

  /** Tells renewals and losses of all leases. */
  follow(bedrock: Bedrock): void {
    bedrock.on('lease.renewed', ({ resource, leaseId, remainingMs }) => {
      const { process } = this;
      // 0 says that the lease had ended before the process reported it: at an unknown time, but not later than the
      // known end.
      const validUntil = remainingMs > 0 ? process.toWorld(process.toLocal(process.time) + remainingMs) : 0;
      this.record({ kind: 'renewed', resource, lease: this.nameOf(leaseId), validUntil });
    });
    bedrock.on('lease.lost', ({ resource, leaseId, reason }) =>
      this.record({ kind: 'lost', resource, lease: this.nameOf(leaseId), reason }),
    );
  }

  nameOf(leaseId: string): string {
    return this.#names.get(leaseId) ?? leaseId;
  }
}
