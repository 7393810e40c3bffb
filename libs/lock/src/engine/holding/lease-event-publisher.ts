import type { EventHub, ReleaseEnd } from '../../core/events.js';
import type { ActiveLease } from './grant.js';

/** Publishes what happens to leases; builds a payload only if a listener wants it. */
export class LeaseEventPublisher {
  constructor(private readonly events: EventHub) {}

  /** The wait of a caller has ended with its lease. */
  waitEnded(resource: string): void {
    const { events } = this;
    if (events.hasListeners('wait.ended')) events.emit('wait.ended', { resource, end: 'granted' });
  }

  /**
   * @param enqueuedAt when its caller came, monotonic ms
   * @param tries 0 for a claim that was here already
   */
  granted(lease: ActiveLease, enqueuedAt: number, tries: number): void {
    const { events } = this;
    if (!events.hasListeners('lease.granted') && !events.hasListeners('lease.handedOver')) return;
    const { resource, id: leaseId, token } = lease;
    const waitedMs = lease.grantedAt + lease.heldMs - enqueuedAt;
    const facts = { resource, leaseId, waitedMs };
    const handedOver = tries === 0;
    if (handedOver) events.emit('lease.handedOver', facts);
    events.emit('lease.granted', { ...facts, token, tries, handedOver });
  }

  released({ resource, id: leaseId, heldMs }: ActiveLease, outcome: ReleaseEnd): void {
    const { events } = this;
    if (events.hasListeners('lease.released'))
      events.emit('lease.released', { resource, leaseId, heldMs, outcome });
  }

  lost({ resource, id: leaseId, heldMs, lossReason }: ActiveLease): void {
    const { events } = this;
    if (events.hasListeners('lease.lost'))
      events.emit('lease.lost', { resource, leaseId, heldMs, reason: lossReason! });
  }
}
