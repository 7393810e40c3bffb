import { hostname } from 'node:os';
import { randomUuid } from '../../../../core/clock.js';
import type { Backend, Traits, Unsubscribe } from '../../../../core/ports/ports.js';
import { untilServing } from '../../../../runtime/until-serving.js';
import { BACKEND } from '../connection/failures.js';
import { MysqlLinkFactory } from '../connection/mysql-link-factory.js';
import { resolveSessionOptions, type MysqlSessionOptions, type MysqlSettings } from '../mysql-options.js';
import { MysqlSessionLeases } from './session-leases.js';
import { MysqlSessionLink } from './session-link.js';

/** So much longer than the longest lease the server keeps a session that says nothing, in s. */
const GRACE_S = 2;

/**
 * Mutexes that are named locks of the server (`GET_LOCK`). They need no table, and live as long as
 * the one session that holds them. There are no fencing tokens, no order between processes, and no
 * proxy in between may share sessions.
 * @throws InvalidOptionError naming the field; nothing is sent
 */
export function mysqlSessions(options: string | MysqlSessionOptions): Backend {
  return new MysqlSessionBackend(resolveSessionOptions(options));
}

class MysqlSessionBackend implements Backend {
  readonly name = BACKEND;
  readonly traits: Traits;
  readonly leases: MysqlSessionLeases;
  readonly processId: string;
  readonly operationTimeoutMs: number;
  readonly #link: MysqlSessionLink;
  readonly #suspectListeners = new Set<(resource: string | undefined) => void>();

  readonly #settings: MysqlSettings;

  constructor(settings: MysqlSettings) {
    this.#settings = settings;
    const { connection, clock, label, operationTimeoutMs, maxLeaseMs } = settings;
    this.processId = randomUuid(clock);
    this.operationTimeoutMs = operationTimeoutMs;
    this.traits = Object.freeze({
      fifo: false,
      shared: false,
      weighted: false,
      fencing: false,
      push: false,
      holdAtLeast: false,
      inProcess: false,
      minLeaseMs: 50,
      maxLeaseMs,
      lifetime: 'session',
    });
    const self = { host: hostname(), pid: process.pid, ...(label !== undefined && { label }) };
    // A process that is gone without a word, or stopped, keeps its locks until then: its leases have ended before.
    const lifeS = Math.ceil(maxLeaseMs / 1_000) + GRACE_S;
    const links = new MysqlLinkFactory(connection, clock, [`SET SESSION wait_timeout = ${lifeS}`]);
    this.leases = new MysqlSessionLeases(() => this.#link, self, clock);
    this.#link = new MysqlSessionLink({
      links,
      clock,
      operationTimeoutMs,
      maxSilenceMs: maxLeaseMs,
      hasLocks: () => this.leases.isHolding,
      onEnd: () => this.#ended(),
    });
  }

  get commands(): number {
    return this.#link.commands;
  }

  ready(): Promise<void> {
    const { clock, operationTimeoutMs } = this.#settings;
    const isFinal = (): boolean => this.leases.isClosed;
    return untilServing({ clock, operationTimeoutMs, isFinal }, () => this.ping());
  }

  async ping(): Promise<number> {
    const sentAt = this.#settings.clock.now();
    await this.#link.query('DO 1', [], () => undefined);
    return this.#settings.clock.now() - sentAt;
  }

  onSuspect(listener: (resource: string | undefined) => void): Unsubscribe {
    this.#suspectListeners.add(listener);
    return () => void this.#suspectListeners.delete(listener);
  }

  async close(): Promise<void> {
    this.leases.close();
    this.#link.close();
  }

  /** All locks are gone with the session: the engine is to notice now, and not at the next renewal. */
  #ended(): void {
    const { isHolding } = this.leases;
    this.leases.clear();
    if (!isHolding) return;
    for (const listener of this.#suspectListeners) listener(undefined);
  }
}
