import { systemClock } from 'bedrock-lock/integration';
import { ClientLink } from '../../../../../libs/lock/src/backends/session-queue/zookeeper/connection/client-link.js';
import { isFault } from '../../../../../libs/lock/src/backends/session-queue/zookeeper/connection/link.js';

const nothing = (): void => undefined;

/** Looks at the data of a server, and meddles with them, beside the backend. */
export class Admin {
  static async connect(connect: string): Promise<Admin> {
    const link = new ClientLink({
      ...{ connect, auth: undefined, sessionTimeoutMs: 30_000, operationTimeoutMs: 2_000 },
      ...{ clock: systemClock, onSent: nothing },
      listener: { reconnected: nothing, suspended: nothing, expired: nothing },
    });
    await link.whenConnected(5_000);
    return new Admin(link);
  }

  private constructor(private readonly link: ClientLink) {}

  /** How often the data of a node was written. */
  async version(path: string): Promise<number> {
    return (await this.link.read(path)).stat.version;
  }

  /** Names of the children; none where there is no such node. */
  async children(path: string): Promise<string[]> {
    try {
      return (await this.link.children(path)).names;
    } catch (error) {
      if (isFault(error, 'NO_NODE')) return [];
      throw error;
    }
  }

  /** Queues whose name has this in it. */
  async nodesNamed(resource: string): Promise<string[]> {
    const wanted = encodeURIComponent(resource);
    return (await this.children('/bedrock/locks')).filter((name) => name.includes(wanted));
  }

  /** The entries in the queue of a resource. */
  entries(resource: string): Promise<string[]> {
    return this.children(`/bedrock/locks/${encodeURIComponent(resource)}`);
  }

  remove(path: string): Promise<void> {
    return this.link.remove(path);
  }

  create(path: string): Promise<void> {
    return this.link.create(path, Buffer.alloc(0), 'persistent');
  }

  close(): Promise<void> {
    return this.link.close();
  }
}
