import type { ClockOffset } from '../../kit/clock-offset.js';
import type { ProcessDirectory } from '../../kit/process-directory.js';
import type { AwaitedGrants } from '../presence/awaited-grants.js';
import { CommandSession } from './command-session.js';
import type { RedisConnection } from '../connection/redis-connection.js';
import { CountingCalls } from '../counters/counting-calls.js';
import { StoredAnswerCleanup } from '../counters/answer-cleanup.js';
import { RedisCounters } from '../counters/redis-counters.js';
import { RedisPermits } from '../counters/redis-permits.js';
import type { GuardAgreement } from './guard-agreement.js';
import { lockProtocols } from '../locks/lock-protocols.js';
import { RedisLockNames } from './redis-lock-names.js';
import { RedisRecords } from '../counters/redis-records.js';
import { ReplicaAcks } from '../protocol/replica-acks.js';
import { RedisLeases } from '../locks/redis-leases.js';
import type { RedisServerDeps } from './servers.js';
import type { WakeSubscriptions } from '../presence/wake-subscriptions.js';

/** Dependencies of the drivers on a server. */
export interface ServerDriverDeps extends RedisServerDeps {
  /** For commands. */
  readonly connection: RedisConnection;
  readonly clockOffset: ClockOffset;
  readonly processes: ProcessDirectory;
  readonly agreement?: GuardAgreement | undefined;
  readonly wakes: Pick<WakeSubscriptions, 'watch'>;
  /** Claims that the server may grant by a push. */
  readonly awaitedGrants: AwaitedGrants;
  /** Opens every connection that is not open yet. */
  readonly start: () => void;
  /** The connection was lost. */
  readonly onLost?: () => void;
  /** Another server served before: its grants may be missing on this one. */
  readonly joinedLater?: boolean;
  /** In a cluster: a hash tag of a slot that this server serves, if any. */
  readonly ownHashTag?: () => string | undefined;
}

/** The drivers on one server. */
export class ServerDrivers {
  readonly connection: RedisConnection;
  readonly leases: RedisLeases;
  readonly counters: RedisCounters;
  readonly permits: RedisPermits;
  readonly records: RedisRecords;
  readonly lockNames: RedisLockNames;
  readonly #session: CommandSession;
  readonly #answerCleanup: StoredAnswerCleanup;

  constructor(deps: ServerDriverDeps) {
    const { settings, connection, clockOffset, processes, agreement, wakes, awaitedGrants, start } = deps;
    this.connection = connection;
    this.#session = new CommandSession(deps);
    const protocols = lockProtocols({
      connection,
      guard: this.#session,
      clockOffset,
      processes,
      awaitedGrants,
      hasPerLockTokens: settings.tokens === 'perLock',
      acks: settings.replicaAcks && new ReplicaAcks(connection.calls, settings.replicaAcks),
    });
    this.leases = new RedisLeases({
      connection,
      protocols,
      wakes,
      awaitedGrants,
      processes,
      agreement,
      start,
    });
    this.lockNames = new RedisLockNames(connection, this.leases, settings.clock, start);
    this.#answerCleanup = new StoredAnswerCleanup(connection, settings.clock);
    const calls = new CountingCalls(connection, clockOffset, this.#answerCleanup, wakes, start);
    this.counters = new RedisCounters(calls);
    this.permits = new RedisPermits(calls);
    this.records = new RedisRecords(connection, clockOffset, start);
  }

  start(): void {
    this.connection.start(this.#session);
  }

  async close(): Promise<void> {
    await this.#answerCleanup.close();
    this.connection.close();
  }
}
