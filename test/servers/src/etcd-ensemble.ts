import { etcdStatus } from './etcd-health.js';
import { findEtcd, startMember, type EtcdPlace } from './etcd.js';
import { freePorts } from './free-port.js';
import type { RunningServer } from './running-server.js';
import { within } from './within.js';

export interface EtcdEnsembleOptions {
  /** @default 3 */
  readonly members?: number;
  /** More arguments of every member. */
  readonly args?: readonly string[];
}

const LEADS_WITHIN_MS = 20_000;

/** Starts an etcd cluster on 127.0.0.1, and waits until it has a leader. */
export async function startEtcdEnsemble({
  members = 3,
  args = [],
}: EtcdEnsembleOptions = {}): Promise<EtcdEnsemble> {
  const source = await findEtcd();
  const ports = await freePorts(2 * members);
  const places: EtcdPlace[] = Array.from({ length: members }, (_, i) => ({
    name: `n${i + 1}`,
    port: ports[2 * i]!,
    peerPort: ports[2 * i + 1]!,
  }));
  const starting = places.map((place) => startMember(place, places, source, { args }));
  const servers = (await Promise.allSettled(starting)).flatMap((one) =>
    one.status === 'fulfilled' ? [one.value] : [],
  );
  const ensemble = new EtcdEnsemble(servers);
  try {
    await Promise.all(starting);
    await ensemble.leader();
    return ensemble;
  } catch (error) {
    await ensemble.stop();
    throw error;
  }
}

/** A running etcd cluster, and the handles that a fault test needs. */
export class EtcdEnsemble {
  constructor(readonly members: readonly RunningServer[]) {}

  get urls(): string[] {
    return this.members.map(({ url }) => url);
  }

  /** The member that leads now, once those that can be reached agree on it. @param without it is dead or frozen */
  async leader(without?: RunningServer): Promise<RunningServer> {
    const others = this.members.filter((member) => member !== without);
    return within(LEADS_WITHIN_MS, 'the members agree on a leader', async () => {
      const views = await Promise.allSettled(
        others.map(async (member) => ({ member, ...(await etcdStatus(member.url)) })),
      );
      const known = views.flatMap((view) => (view.status === 'fulfilled' ? [view.value] : []));
      const leaders = new Set(known.map(({ leader }) => leader));
      const agree = leaders.size === 1 && known.length > this.members.length / 2;
      return agree && known.find(({ id, leader }) => id === leader)?.member;
    });
  }

  async stop(): Promise<void> {
    await Promise.all(this.members.map((member) => member.stop()));
  }
}
