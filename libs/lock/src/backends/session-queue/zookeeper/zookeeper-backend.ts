import { randomUuid } from '../../../core/clock.js';
import type { Backend, CounterDriver, PermitDriver } from '../../../core/ports/ports.js';
import { READY_TIMEOUTS } from '../../../runtime/until-serving.js';
import { ownProcessView } from '../../kit/process-view.js';
import { SessionQueueBackend } from '../session-queue-backend.js';
import { ClientLink } from './connection/client-link.js';
import { ZooKeeperCounting } from './counters/zookeeper-counting.js';
import { BACKEND } from './connection/failures.js';
import { ZooKeeperPaths } from './session/zookeeper-paths.js';
import {
  resolveZooKeeperOptions,
  type ZooKeeperOptions,
  type ZooKeeperSettings,
} from './zookeeper-options.js';
import { ZooKeeperSessions } from './session/zookeeper-sessions.js';
import { ZooKeeperQueueStore } from './queue/zookeeper-queue-store.js';

/**
 * Locks on ZooKeeper 3.5 or later: ephemeral sequential nodes, one queue per resource, served in
 * order of arrival. Connections of its own are opened at `ready()` or at the first call, one for
 * each class of lease lengths in use.
 * @throws InvalidOptionError naming the field; nothing is sent
 */
export function zookeeper(options: string | ZooKeeperOptions): Backend {
  return new ZooKeeperBackend(resolveZooKeeperOptions(options));
}

class ZooKeeperBackend extends SessionQueueBackend {
  readonly counters: CounterDriver;
  readonly permits: PermitDriver;
  readonly #sessions: ZooKeeperSessions;
  #commands = 0;

  constructor(settings: ZooKeeperSettings) {
    const { clock, operationTimeoutMs, maxLeaseMs, root, label } = settings;
    const processId = randomUuid(clock);
    const paths = new ZooKeeperPaths(root);
    const sessions = new ZooKeeperSessions({
      paths,
      processId,
      maxLeaseMs,
      operationTimeoutMs,
      openLink: (sessionTimeoutMs, listener) =>
        new ClientLink({ ...settings, sessionTimeoutMs, listener, onSent: () => (this.#commands += 1) }),
      onLost: (session) => {
        this.leases.sessionLost(session);
        counting.reconnected();
      },
      onSuspended: (session) => store.sessionSuspended(session),
      onReconnected: () => {
        this.leases.reconnected();
        counting.reconnected();
      },
    });
    const store = new ZooKeeperQueueStore({
      paths,
      sessions,
      clock,
      process: ownProcessView(label),
      onEntryChanged: (resource) => this.leases.entryChanged(resource),
    });
    const session = () => sessions.any();
    const counting = new ZooKeeperCounting({ paths, clock, operationTimeoutMs, session });
    super({ name: BACKEND, settings, processId, store, counting });
    this.counters = counting.counters;
    this.permits = counting.permits;
    this.#sessions = sessions;
  }

  get commands(): number {
    return this.#commands;
  }

  async ready(): Promise<void> {
    // A server that is just starting is worth waiting for.
    await this.#sessions.any(this.operationTimeoutMs * READY_TIMEOUTS);
  }
}
