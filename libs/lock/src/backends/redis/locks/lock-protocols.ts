import type { ClockOffset } from '../../kit/clock-offset.js';
import type { ProcessDirectory } from '../../kit/process-directory.js';
import type { AwaitedGrants } from '../presence/awaited-grants.js';
import { ClaimCommand, type RestartGuard } from './claim-command.js';
import type { RedisConnection } from '../connection/redis-connection.js';
import { WithdrawCommand } from './held-commands.js';
import { JointClaimCommand } from './joint-claim-command.js';
import { KeyCache, ResourceKeys, tokenSource } from '../protocol/keys.js';
import { LeaseBatches } from './lease-batches.js';
import type { ReplicaAcks } from '../protocol/replica-acks.js';
import { scriptCallerFor } from '../protocol/script-caller.js';
import { FAIR_MUTEX_FORMAT } from './fair-format.js';
import type { LockProtocol } from './lock-protocol.js';
import { MutexProtocol, type MutexFormat } from './mutex-protocol.js';
import { PLAIN_MUTEX_FORMAT } from './plain-format.js';
import {
  READ_WRITE_ANNOTATE_COMMAND,
  READ_WRITE_SCRIPTS,
  ReadWriteProtocol,
  readWriteRenewCommand,
} from './read-write-protocol.js';
import {
  SEMAPHORE_SCRIPTS,
  SemaphoreKeys,
  SemaphoreProtocol,
  semaphoreRenewCommand,
} from './semaphore-protocol.js';

/** Dependencies of all kinds of lock on one server. */
export interface LockProtocolDeps {
  readonly connection: RedisConnection;
  readonly guard: RestartGuard;
  readonly clockOffset: ClockOffset;
  readonly processes: ProcessDirectory;
  readonly awaitedGrants: AwaitedGrants;
  /** Each lock has a token counter of its own: Redisson's. */
  readonly hasPerLockTokens: boolean;
  /** A grant counts only once these replicas have acknowledged it. */
  readonly acks: ReplicaAcks | undefined;
}

/** Every kind of lock that Redis serves. */
export function lockProtocols(deps: LockProtocolDeps): readonly LockProtocol[] {
  return [
    mutexProtocol(PLAIN_MUTEX_FORMAT, deps),
    mutexProtocol(FAIR_MUTEX_FORMAT, deps),
    readWriteProtocol(deps),
    semaphoreProtocol(deps),
  ];
}

function mutexProtocol(format: MutexFormat, deps: LockProtocolDeps): LockProtocol {
  const { connection, guard, clockOffset, processes, awaitedGrants, hasPerLockTokens } = deps;
  const tokens = tokenSource(hasPerLockTokens, connection.link.isSharded);
  const claim = new ClaimCommand(format, {
    guard,
    clockOffset,
    processes,
    tokens,
    awaitedGrants,
  });
  const claimAll = format.claimAll && new JointClaimCommand(format.claimAll, claim);
  const commands = { claim, ...(claimAll && { claimAll }), withdraw: new WithdrawCommand(format, tokens) };
  const batches = new LeaseBatches(connection, commands, new KeyCache(format.keysOf), deps.acks);
  return new MutexProtocol(format, batches, processes, scriptCallerFor(connection));
}

function semaphoreProtocol(deps: LockProtocolDeps): LockProtocol {
  const { connection, guard, clockOffset, processes, awaitedGrants } = deps;
  const keyCache = new KeyCache((resource) => new SemaphoreKeys(resource));
  const tokens = tokenSource(false, connection.link.isSharded);
  const commands = {
    claim: new ClaimCommand(SEMAPHORE_SCRIPTS, {
      guard,
      clockOffset,
      processes,
      tokens,
      awaitedGrants,
    }),
    withdraw: new WithdrawCommand(SEMAPHORE_SCRIPTS, tokens),
    renew: semaphoreRenewCommand(keyCache),
  };
  const batches = new LeaseBatches(connection, commands, keyCache, deps.acks);
  return new SemaphoreProtocol(batches, processes, scriptCallerFor(connection));
}

function readWriteProtocol(deps: LockProtocolDeps): LockProtocol {
  const { connection, guard, clockOffset, processes, awaitedGrants, hasPerLockTokens } = deps;
  const tokens = tokenSource(hasPerLockTokens, connection.link.isSharded);
  const keyCache = new KeyCache((resource) => new ResourceKeys(resource));
  const commands = {
    claim: new ClaimCommand(READ_WRITE_SCRIPTS, {
      guard,
      clockOffset,
      processes,
      tokens,
      awaitedGrants,
    }),
    withdraw: new WithdrawCommand(READ_WRITE_SCRIPTS, tokens),
    renew: readWriteRenewCommand(keyCache),
    annotate: READ_WRITE_ANNOTATE_COMMAND,
  };
  const batches = new LeaseBatches(connection, commands, keyCache, deps.acks);
  return new ReadWriteProtocol(batches, keyCache, processes, scriptCallerFor(connection));
}
