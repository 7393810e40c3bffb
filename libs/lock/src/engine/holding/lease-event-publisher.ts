import { modeOf } from '../../core/claim.js';
import type { EventHub, ReleaseEnd } from '../../core/events.js';
import type { ActiveLease } from './grant.js';

/** What a caller that got a lease was, as a waiter. */
export interface Caller {
  /** Its number in this process. */
  readonly arrival: number;
  /** Monotonic ms. */
  readonly enqueuedAt: number;
}

/** Publishes what happens to leases; builds a payload only if a listener wants it. */
export class LeaseEventPublisher {
  constructor(private readonly events: EventHub) {}

  /**
   * A caller has its lease.
   * @param tries 0 for a claim that was here already
   * @param isWaiter it was announced as one, so its wait has ended too
   */
  granted(lease: ActiveLease, caller: Caller, tries: number, isWaiter: boolean): void {
    const { events } = this;
    const endsWait = isWaiter && events.hasListeners('wait.ended');
    const isHeard = events.hasListeners('lease.granted') || events.hasListeners('lease.handedOver');
    if (!endsWait && !isHeard) return;
    const { resource, settings, id: leaseId, token } = lease;
    const { arrival: waitId, enqueuedAt } = caller;
    const mode = modeOf(settings.shape);
    // Read once: it is the time until now.
    const waitedMs = lease.grantedAt + lease.heldMs - enqueuedAt;
    if (endsWait) {
      const { waitMs } = settings;
      events.emit('wait.ended', { resource, mode, waitId, end: 'granted', waitedMs, waitMs });
    }
    const handedOver = tries === 0;
    if (handedOver) events.emit('lease.handedOver', { resource, mode, leaseId, waitedMs });
    events.emit('lease.granted', { resource, mode, leaseId, waitId, token, waitedMs, tries, handedOver });
  }

  released({ resource, settings, id: leaseId, heldMs }: ActiveLease, outcome: ReleaseEnd): void {
    const { events } = this;
    if (events.hasListeners('lease.released'))
      events.emit('lease.released', { resource, mode: modeOf(settings.shape), leaseId, heldMs, outcome });
  }

  lost({ resource, settings, id: leaseId, heldMs, lossReason }: ActiveLease): void {
    const { events } = this;
    if (events.hasListeners('lease.lost'))
      events.emit('lease.lost', {
        resource,
        mode: modeOf(settings.shape),
        leaseId,
        heldMs,
        reason: lossReason!,
      });
  }
}
