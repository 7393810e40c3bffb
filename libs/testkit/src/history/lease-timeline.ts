import type { History, ReleasedEvent, RenewedEvent, SeenEvent, Share } from './history-event.js';

/** The history of one lease. */
export interface LeaseTimeline {
  readonly lease: string;
  readonly process: string;
  readonly resource: string;
  readonly token: number;
  readonly share: Share;
  readonly acquiredAt: number;
  /** When its caller requested it. */
  readonly askedAt: number | undefined;
  /** The end that came with the grant. */
  readonly grantedUntil: number;
  /** The last confirmed end. */
  validUntil: number;
  releasingAt: number | undefined;
  lostAt: number | undefined;
  /** Why, as the holder was told. */
  lossReason: string | undefined;
  released: ReleasedEvent | undefined;
  readonly renewals: RenewedEvent[];
  readonly observations: SeenEvent[];
}

/** The whole lock. */
const WHOLE: Share = { units: 1, capacity: 1 };

/** When the holder stops claiming to hold: released, lost, or expired by the clock. */
export function endOf({ releasingAt = Infinity, lostAt = Infinity, validUntil }: LeaseTimeline): number {
  return Math.min(releasingAt, lostAt, validUntil);
}

/** The leases of a history in the order of their acquisition. */
export function timelinesOf(history: History): LeaseTimeline[] {
  const timelines = new Map<string, LeaseTimeline>();
  const asked = new Map<string, number>();
  for (const event of history) {
    if (event.kind === 'asked') asked.set(event.call, event.at);
    if (event.kind === 'acquired') {
      const { call, lease, process, resource, token, share = WHOLE, at: acquiredAt, validUntil } = event;
      timelines.set(lease, {
        ...{ lease, process, resource, token, share, acquiredAt, askedAt: asked.get(call) },
        ...{ grantedUntil: validUntil, validUntil, renewals: [], observations: [] },
        ...{ releasingAt: undefined, lostAt: undefined, lossReason: undefined, released: undefined },
      });
    }
    const timeline = 'lease' in event ? timelines.get(event.lease) : undefined;
    if (timeline === undefined) continue;
    if (event.kind === 'releasing') timeline.releasingAt ??= event.at;
    if (event.kind === 'lost') {
      timeline.lostAt ??= event.at;
      timeline.lossReason ??= event.reason;
    }
    if (event.kind === 'released') timeline.released ??= event;
    if (event.kind === 'seen') timeline.observations.push(event);
    if (event.kind === 'renewed') {
      timeline.renewals.push(event);
      timeline.validUntil = Math.max(timeline.validUntil, event.validUntil);
    }
  }
  return [...timelines.values()].sort((a, b) => a.acquiredAt - b.acquiredAt);
}

export function byResource(timelines: readonly LeaseTimeline[]): LeaseTimeline[][] {
  const groups = new Map<string, LeaseTimeline[]>();
  for (const timeline of timelines) {
    const group = groups.get(timeline.resource);
    if (group === undefined) groups.set(timeline.resource, [timeline]);
    else group.push(timeline);
  }
  return [...groups.values()];
}
