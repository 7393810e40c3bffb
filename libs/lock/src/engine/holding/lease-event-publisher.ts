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

  /** The wait of a caller has ended with its lease. */
  waitEnded(lease: ActiveLease, caller: Caller): void {
    const { events } = this;
    if (!events.hasListeners('wait.ended')) return;
    const { resource, settings } = lease;
    const { arrival: waitId } = caller;
    events.emit('wait.ended', {
      resource,
      mode: modeOf(settings.shape),
      waitId,
      end: 'granted',
      waitedMs: waitedMsOf(lease, caller),
      waitMs: settings.waitMs,
    });
  }

  /** @param tries 0 for a claim that was here already */
  granted(lease: ActiveLease, caller: Caller, tries: number): void {
    const { events } = this;
    if (!events.hasListeners('lease.granted') && !events.hasListeners('lease.handedOver')) return;
    const { resource, id: leaseId, token } = lease;
    const waitedMs = waitedMsOf(lease, caller);
    const mode = modeOf(lease.settings.shape);
    const { arrival: waitId } = caller;
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

function waitedMsOf(lease: ActiveLease, { enqueuedAt }: Caller): number {
  return lease.grantedAt + lease.heldMs - enqueuedAt;
}
