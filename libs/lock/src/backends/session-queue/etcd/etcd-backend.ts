import { randomUuid } from '../../../core/clock.js';
import type { Backend } from '../../../core/ports/ports.js';
import { untilServing } from '../../../runtime/until-serving.js';
import { ownProcessView } from '../../kit/process-view.js';
import { SessionQueueBackend } from '../session-queue-backend.js';
import { EtcdQueueStore } from './queue/etcd-queue-store.js';
import { EtcdLink } from './connection/etcd-link.js';
import { resolveEtcdOptions, type EtcdOptions, type EtcdSettings } from './etcd-options.js';
import { BACKEND, fateOf } from './connection/failures.js';
import { EtcdKeys } from './session/etcd-keys.js';
import { checkVersion } from './connection/server-version.js';

/**
 * Locks on etcd 3.4 or later: a key for each entry in the queue, on the lease of its process,
 * served in order of arrival. One connection of its own is opened at `ready()` or at the first
 * call.
 * @throws InvalidOptionError naming the field; nothing is sent
 */
export function etcd(options: string | EtcdOptions): Backend {
  return new EtcdBackend(resolveEtcdOptions(options));
}

class EtcdBackend extends SessionQueueBackend {
  readonly #link: EtcdLink;

  constructor(settings: EtcdSettings) {
    const { clock, maxLeaseMs, prefix, label } = settings;
    const link = new EtcdLink(settings);
    const store = new EtcdQueueStore(
      {
        link,
        keys: new EtcdKeys(prefix),
        clock,
        maxLeaseMs,
        process: ownProcessView(label),
      },
      {
        sessionLost: (session) => this.leases.sessionLost(session),
        reconnected: () => this.leases.reconnected(),
        entryChanged: (resource) => this.leases.entryChanged(resource),
      },
    );
    super({ name: BACKEND, settings, processId: randomUuid(clock), store });
    this.#link = link;
  }

  get commands(): number {
    return this.#link.commands;
  }

  async ready(): Promise<void> {
    const { clock, operationTimeoutMs } = this;
    // What a member refuses, it will refuse again.
    const isFinal = (error: unknown): boolean =>
      this.isClosed || fateOf((error as Error).cause) === 'refused';
    await untilServing({ clock, operationTimeoutMs, isFinal }, () => this.ping());
    // A user without the right to ask for the version is served all the same.
    const version = await this.#link.version(this.#link.deadline()).catch(() => undefined);
    if (version !== undefined) checkVersion(version);
  }
}
