import type { RecordDriver } from '../../../core/ports/ports.js';
import type { RecordRef, RecordStart, RecordView } from '../../../core/ports/records.js';
import type { Router } from './router.js';

/** Idempotency records, each on the server of its slot. */
export class ClusterRecords implements RecordDriver {
  constructor(private readonly router: Router) {}

  begin(start: RecordStart): Promise<RecordView | undefined> {
    return this.router.route(start.resource, ({ records }) => records.begin(start));
  }

  renew(ref: RecordRef, leaseMs: number): Promise<boolean> {
    return this.router.route(ref.resource, ({ records }) => records.renew(ref, leaseMs));
  }

  complete(ref: RecordRef, value: string, keepMs: number): Promise<boolean> {
    return this.router.route(ref.resource, ({ records }) => records.complete(ref, value, keepMs));
  }

  abandon(ref: RecordRef): Promise<boolean> {
    return this.router.route(ref.resource, ({ records }) => records.abandon(ref));
  }

  read(resource: string): Promise<RecordView | undefined> {
    return this.router.route(resource, ({ records }) => records.read(resource));
  }

  remove(resource: string): Promise<boolean> {
    return this.router.route(resource, ({ records }) => records.remove(resource));
  }
}
