import type { History, Released, Renewed, Seen, Share } from './history-event.js';

/** What a history tells about one lease. */
export interface LeaseLife {
  readonly lease: string;
  readonly process: string;
  readonly resource: string;
  readonly token: number;
  readonly share: Share;
  readonly acquiredAt: number;
  /** When its caller began to ask. */
  readonly askedAt: number | undefined;
  /** The end that came with the grant. */
  readonly grantedUntil: number;
  /** The last confirmed end. */
  validUntil: number;
  releasingAt: number | undefined;
  lostAt: number | undefined;
  released: Released | undefined;
  readonly renewals: Renewed[];
  readonly sightings: Seen[];
}

/** All of it. */
const WHOLE: Share = { units: 1, capacity: 1 };

/** The instant from which the holder no longer claims to hold: released, lost, or over by the clock. */
export function endOf({ releasingAt = Infinity, lostAt = Infinity, validUntil }: LeaseLife): number {
  return Math.min(releasingAt, lostAt, validUntil);
}

/** The leases of a history in the order of their acquisition. */
export function livesOf(history: History): LeaseLife[] {
  const lives = new Map<string, LeaseLife>();
  const asked = new Map<string, number>();
  for (const event of history) {
    if (event.kind === 'asked') asked.set(event.call, event.at);
    if (event.kind === 'acquired') {
      const { call, lease, process, resource, token, share = WHOLE, at: acquiredAt, validUntil } = event;
      lives.set(lease, {
        ...{ lease, process, resource, token, share, acquiredAt, askedAt: asked.get(call) },
        ...{ grantedUntil: validUntil, validUntil, renewals: [], sightings: [] },
        ...{ releasingAt: undefined, lostAt: undefined, released: undefined },
      });
    }
    const life = 'lease' in event ? lives.get(event.lease) : undefined;
    if (life === undefined) continue;
    if (event.kind === 'releasing') life.releasingAt ??= event.at;
    if (event.kind === 'lost') life.lostAt ??= event.at;
    if (event.kind === 'released') life.released ??= event;
    if (event.kind === 'seen') life.sightings.push(event);
    if (event.kind === 'renewed') {
      life.renewals.push(event);
      life.validUntil = Math.max(life.validUntil, event.validUntil);
    }
  }
  return [...lives.values()].sort((a, b) => a.acquiredAt - b.acquiredAt);
}

export function byResource(lives: readonly LeaseLife[]): LeaseLife[][] {
  const groups = new Map<string, LeaseLife[]>();
  for (const life of lives) {
    const group = groups.get(life.resource);
    if (group === undefined) groups.set(life.resource, [life]);
    else group.push(life);
  }
  return [...groups.values()];
}
