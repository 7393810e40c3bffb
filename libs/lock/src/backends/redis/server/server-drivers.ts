import type { AwaitedGrants } from '../presence/awaited-grants.js';
import { CommandSession } from './command-session.js';
import type { Connection } from '../connection/connection.js';
import { CountingCalls } from '../counters/counting-calls.js';
import { Memos } from '../counters/memos.js';
import { RedisCounters } from '../counters/redis-counters.js';
import { RedisPermits } from '../counters/redis-permits.js';
import type { GuardAgreement } from './guard-agreement.js';
import { lockKinds } from '../locks/lock-kinds.js';
import type { ProcessRows } from '../presence/process-rows.js';
import { RedisRecords } from '../counters/redis-records.js';
import { ReplicaAcks } from '../protocol/replica-acks.js';
import { RedisLeases } from '../locks/redis-leases.js';
import type { ServerTime } from '../connection/server-time.js';
import type { Site } from './servers.js';
import type { Wakes } from '../presence/wakes.js';

/** What the drivers on a server stand on. */
export interface DriverGround extends Site {
  /** For commands. */
  readonly connection: Connection;
  readonly time: ServerTime;
  readonly rows: ProcessRows;
  readonly agreement?: GuardAgreement | undefined;
  readonly wakes: Pick<Wakes, 'watch'>;
  /** What the server may grant by itself. */
  readonly awaited: AwaitedGrants;
  /** Connects whatever is not connected yet. */
  readonly start: () => void;
  /** The connection was lost. */
  readonly onLost?: () => void;
  /** Another server has served before: what it granted may not have come to this one. */
  readonly isLate?: boolean;
  /** On a server of a cluster: a hash tag of a slot that it serves, if it serves one. */
  readonly tagHere?: () => string | undefined;
}

/** The drivers on one server. */
export class ServerDrivers {
  readonly connection: Connection;
  readonly leases: RedisLeases;
  readonly counters: RedisCounters;
  readonly permits: RedisPermits;
  readonly records: RedisRecords;
  readonly #session: CommandSession;
  readonly #memos: Memos;

  constructor(ground: DriverGround) {
    const { terms, connection, time, rows, wakes, awaited, start } = ground;
    this.connection = connection;
    this.#session = new CommandSession(ground);
    const kinds = lockKinds({
      connection,
      guard: this.#session,
      time,
      rows,
      awaited,
      ownTokens: terms.tokens === 'perLock',
      acks: terms.replicaAcks && new ReplicaAcks(connection, terms.replicaAcks),
    });
    this.leases = new RedisLeases({ connection, kinds, wakes, awaited, rows, start });
    this.#memos = new Memos(connection, terms.clock);
    const calls = new CountingCalls(connection, time, this.#memos, wakes, start);
    this.counters = new RedisCounters(calls);
    this.permits = new RedisPermits(calls);
    this.records = new RedisRecords(connection, time, start);
  }

  start(): void {
    this.connection.start(this.#session);
  }

  async close(): Promise<void> {
    await this.#memos.close();
    this.connection.close();
  }
}
