import type { EventHub, ReleaseEnd } from '../../core/events.js';
import type { Tenant } from './grant.js';

/** Tells listeners what becomes of leases; builds a payload only for who wants it. */
export class LeaseNews {
  constructor(private readonly events: EventHub) {}

  /**
   * @param enteredAt when its caller came, monotonic ms
   * @param tries 0 for a claim that was here already
   */
  granted(lease: Tenant, enteredAt: number, tries: number): void {
    const { events } = this;
    if (!events.wants('lease.granted') && !events.wants('lease.handedOver')) return;
    const { resource, id: leaseId, token } = lease;
    const waitedMs = lease.grantedAt + lease.heldMs - enteredAt;
    const facts = { resource, leaseId, waitedMs };
    const handedOver = tries === 0;
    if (handedOver) events.emit('lease.handedOver', facts);
    events.emit('lease.granted', { ...facts, token, tries, handedOver });
  }

  released({ resource, id: leaseId, heldMs }: Tenant, outcome: ReleaseEnd): void {
    const { events } = this;
    if (events.wants('lease.released')) events.emit('lease.released', { resource, leaseId, heldMs, outcome });
    if (events.wants('competitor.destroyed'))
      events.emit('competitor.destroyed', { resource, end: 'released' });
  }

  lost({ resource, id: leaseId, heldMs, lossReason }: Tenant): void {
    const { events } = this;
    if (events.wants('lease.lost'))
      events.emit('lease.lost', { resource, leaseId, heldMs, reason: lossReason! });
    if (events.wants('competitor.destroyed')) events.emit('competitor.destroyed', { resource, end: 'lost' });
  }
}
