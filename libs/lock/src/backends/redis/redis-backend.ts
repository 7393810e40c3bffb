import type { Redis } from 'ioredis';
import { randomUuid } from '../../core/clock.js';
import type { Backend, LeaseDriver, Traits, Unsubscribe } from '../../core/ports.js';
import { ClaimVerb } from './claim-verb.js';
import { createClient } from './clients.js';
import { CommandSession } from './command-session.js';
import { Connection } from './connection.js';
import { BACKEND } from './failures.js';
import { KeyRing } from './keys.js';
import { LeaseBatches } from './lease-batches.js';
import { ProcessRows } from './process-rows.js';
import { RedisLeases } from './redis-leases.js';
import { MIN_LEASE_MS, resolveRedisOptions, type RedisOptions, type RedisTerms } from './redis-options.js';
import { ServerTime } from './server-time.js';
import { Wakes } from './wakes.js';

/** `ready()` waits this many times `operationTimeoutMs`: a server that is just starting is worth waiting for. */
const READY_PATIENCE = 5;

/**
 * Locks on one Redis (or the primary that Sentinels name), shared with Redisson clients that use the same names. Two
 * connections of its own are opened at `ready()` or at the first call.
 * @throws InvalidOptionError naming the field; nothing is sent
 */
export function redis(options: string | Redis | RedisOptions): Backend {
  return new RedisBackend(resolveRedisOptions(options));
}

class RedisBackend implements Backend {
  readonly name = BACKEND;
  readonly traits: Traits;
  readonly leases: LeaseDriver;
  readonly processId: string;
  readonly operationTimeoutMs: number;
  readonly #terms: RedisTerms;
  readonly #commanding: Connection;
  readonly #listening: Connection;
  readonly #session: CommandSession;
  readonly #wakes: Wakes;
  readonly #rows: ProcessRows;
  readonly #doubts = new Set<(resource: string | undefined) => void>();
  #closed: Promise<void> | undefined;

  constructor(terms: RedisTerms) {
    const { clock, operationTimeoutMs, maxLeaseMs } = terms;
    const ring = new KeyRing();
    const time = new ServerTime(clock);
    this.#terms = terms;
    this.operationTimeoutMs = operationTimeoutMs;
    this.processId = randomUuid(clock);
    this.traits = Object.freeze({
      fifo: false,
      weighted: false,
      fencing: true,
      push: true,
      holdAtLeast: true,
      inProcess: false,
      minLeaseMs: MIN_LEASE_MS,
      maxLeaseMs,
      lifetime: 'lease',
    });
    this.#commanding = new Connection(createClient(terms.place), clock, operationTimeoutMs);
    this.#listening = new Connection(createClient(terms.place), clock, operationTimeoutMs);
    this.#rows = new ProcessRows(this.processId, terms.label, this.#commanding.call, clock);
    const { db = 0 } = this.#commanding.client.options;
    this.#session = new CommandSession(terms, time, this.#rows, this.processId, db, () =>
      this.#doubt(undefined),
    );
    this.#wakes = new Wakes(this.#listening, ring, this.processId, clock, (resource) =>
      this.#doubt(resource),
    );
    const ownTokens = terms.tokens === 'perLock';
    const claimVerb = new ClaimVerb(this.#session, time, this.#rows, ownTokens);
    const batches = new LeaseBatches(this.#commanding, claimVerb, ring);
    this.leases = new RedisLeases(this.#commanding, batches, this.#wakes, this.#rows, ring, () =>
      this.#start(),
    );
  }

  get commands(): number {
    return this.#commanding.commands + this.#listening.commands;
  }

  async ready(): Promise<void> {
    this.#start();
    const patienceMs = this.operationTimeoutMs * READY_PATIENCE;
    await Promise.all([this.#commanding.whenReady(patienceMs), this.#listening.whenReady(patienceMs)]);
  }

  async ping(): Promise<number> {
    this.#start();
    await this.#commanding.whenServing();
    const { clock } = this.#terms;
    const sentAt = clock.now();
    await this.#commanding.call('ping', []);
    return clock.now() - sentAt;
  }

  onDoubt(listener: (resource: string | undefined) => void): Unsubscribe {
    this.#doubts.add(listener);
    return () => void this.#doubts.delete(listener);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    await this.#rows.erase().catch(() => undefined);
    this.#wakes.close();
    this.#commanding.close();
    this.#listening.close();
  }

  #start(): void {
    this.#commanding.start(this.#session);
    this.#listening.start(this.#wakes);
  }

  #doubt(resource: string | undefined): void {
    for (const listener of this.#doubts) listener(resource);
  }
}
