import { freePorts } from './free-port.js';
import type { RunningServer } from './running-server.js';
import { within } from './within.js';
import { findZooKeeper, startZooKeeperMember, type ZooKeeperPlace } from './zookeeper.js';
import { zookeeperMode } from './zookeeper-health.js';

export interface ZooKeeperEnsembleOptions {
  /** @default 3 */
  readonly members?: number;
  /** More lines of the configuration of every member. */
  readonly settings?: readonly string[];
}

const LEADS_WITHIN_MS = 20_000;

/** Starts a ZooKeeper ensemble on 127.0.0.1; it has a leader when this resolves. */
export async function startZooKeeperEnsemble({
  members = 3,
  settings = [],
}: ZooKeeperEnsembleOptions = {}): Promise<ZooKeeperEnsemble> {
  const source = await findZooKeeper();
  const ports = await freePorts(3 * members);
  const places: ZooKeeperPlace[] = Array.from({ length: members }, (_, i) => ({
    id: i + 1,
    port: ports[3 * i]!,
    peerPort: ports[3 * i + 1]!,
    electionPort: ports[3 * i + 2]!,
  }));
  const starting = places.map((place) => startZooKeeperMember(place, places, source, { settings }));
  const servers = (await Promise.allSettled(starting)).flatMap((one) =>
    one.status === 'fulfilled' ? [one.value] : [],
  );
  const ensemble = new ZooKeeperEnsemble(servers);
  try {
    await Promise.all(starting);
    await ensemble.leader();
    return ensemble;
  } catch (error) {
    await ensemble.stop();
    throw error;
  }
}

/** A running ZooKeeper ensemble, and the handles that a fault test needs. */
export class ZooKeeperEnsemble {
  constructor(readonly members: readonly RunningServer[]) {}

  /** All members, as a client names them. */
  get connect(): string {
    return this.members.map(({ host, port }) => `${host}:${port}`).join(',');
  }

  /** The member that leads now. */
  leader(): Promise<RunningServer> {
    return within(LEADS_WITHIN_MS, 'a member leads', async () => {
      const modes = await Promise.allSettled(this.members.map(({ port }) => zookeeperMode(port)));
      const at = modes.findIndex((mode) => mode.status === 'fulfilled' && mode.value === 'leader');
      return this.members[at];
    });
  }

  async stop(): Promise<void> {
    await Promise.all(this.members.map((member) => member.stop()));
  }
}
