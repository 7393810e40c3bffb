import { hostname } from 'node:os';
import { randomUuid } from '../../../../core/clock.js';
import type { Backend, Traits, Unsubscribe } from '../../../../core/ports/ports.js';
import { untilServing } from '../../../../runtime/until-serving.js';
import { BACKEND } from '../connection/failures.js';
import { MysqlLinks } from '../connection/mysql-links.js';
import { resolveSessionOptions, type MysqlSessionOptions, type MysqlTerms } from '../mysql-options.js';
import { SessionLeases } from './session-leases.js';
import { SessionLink } from './session-link.js';

/** So much longer than the longest lease the server keeps a session that says nothing, in s. */
const GRACE_S = 2;

/**
 * Mutexes that are named locks of the server (`GET_LOCK`), which need no table and live as long as the one session that has them:
 * no fencing tokens, no order between processes, and no proxy in between that shares sessions.
 * @throws InvalidOptionError naming the field; nothing is sent
 */
export function mysqlSessions(options: string | MysqlSessionOptions): Backend {
  return new SessionBackend(resolveSessionOptions(options));
}

class SessionBackend implements Backend {
  readonly name = BACKEND;
  readonly traits: Traits;
  readonly leases: SessionLeases;
  readonly processId: string;
  readonly operationTimeoutMs: number;
  readonly #link: SessionLink;
  readonly #doubts = new Set<(resource: string | undefined) => void>();

  readonly #terms: MysqlTerms;

  constructor(terms: MysqlTerms) {
    this.#terms = terms;
    const { connection, clock, label, operationTimeoutMs, maxLeaseMs } = terms;
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
    const links = new MysqlLinks(connection, clock, [`SET SESSION wait_timeout = ${lifeS}`]);
    this.leases = new SessionLeases(() => this.#link, self, clock);
    this.#link = new SessionLink({
      links,
      clock,
      operationTimeoutMs,
      patienceMs: maxLeaseMs,
      hasLocks: () => this.leases.isHolding,
      onEnd: () => this.#ended(),
    });
  }

  get commands(): number {
    return this.#link.commands;
  }

  ready(): Promise<void> {
    const { clock, operationTimeoutMs } = this.#terms;
    const isFinal = (): boolean => this.leases.isClosed;
    return untilServing({ clock, operationTimeoutMs, isFinal }, () => this.ping());
  }

  async ping(): Promise<number> {
    const sentAt = this.#terms.clock.now();
    await this.#link.ask('DO 1', [], () => undefined);
    return this.#terms.clock.now() - sentAt;
  }

  onSuspect(listener: (resource: string | undefined) => void): Unsubscribe {
    this.#doubts.add(listener);
    return () => void this.#doubts.delete(listener);
  }

  async close(): Promise<void> {
    this.leases.close();
    this.#link.close();
  }

  /** All locks are gone with the session: the engine is to notice now, and not at the next renewal. */
  #ended(): void {
    const { isHolding } = this.leases;
    this.leases.forget();
    if (!isHolding) return;
    for (const listener of this.#doubts) listener(undefined);
  }
}
