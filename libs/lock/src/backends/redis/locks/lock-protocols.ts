import type { ClockOffset } from '../../kit/clock-offset.js';
import type { ProcessDirectory } from '../../kit/process-directory.js';
import type { AwaitedGrants } from '../presence/awaited-grants.js';
import { ClaimCommand, type RestartGuard } from './claim-command.js';
import type { RedisConnection } from '../connection/redis-connection.js';
import { AnnotateCommand, RenewCommand, WithdrawCommand } from './held-commands.js';
import { JointClaimCommand } from './joint-claim-command.js';
import { KeyCache, ResourceKeys, tokenSource } from '../protocol/keys.js';
import { LeaseBatches } from './lease-batches.js';
import type { ReplicaAcks } from '../protocol/replica-acks.js';
import { RW_ANNOTATE } from '../protocol/script.js';
import { scriptCallerFor } from '../protocol/script-caller.js';
import { FAIR_MUTEX_FORMAT } from './fair-format.js';
import type { LockProtocol } from './lock-protocol.js';
import { MutexProtocol, type MutexFormat } from './mutex-protocol.js';
import { PLAIN_MUTEX_FORMAT } from './plain-format.js';
import { READ_WRITE_SCRIPTS, ReadWriteProtocol, ReadWriteRenewCommand } from './read-write-protocol.js';
import {
  SEMAPHORE_SCRIPTS,
  SemaphoreKeys,
  SemaphoreProtocol,
  SemaphoreRenewCommand,
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
  const { connection } = deps;
  const tokens = tokenSource(deps.hasPerLockTokens, connection.link.isSharded);
  const claim = new ClaimCommand(format, { ...deps, tokens });
  const claimAll = format.claimAll && new JointClaimCommand(format.claimAll, claim, deps);
  const commands = {
    claim,
    ...(claimAll && { claimAll }),
    withdraw: new WithdrawCommand(connection, format, tokens),
    renew: new RenewCommand(connection),
    annotate: new AnnotateCommand(connection),
  };
  const batches = new LeaseBatches(connection, commands, new KeyCache(format.keysOf));
  return new MutexProtocol(format, batches, deps.processes, scriptCallerFor(connection.calls));
}

function semaphoreProtocol(deps: LockProtocolDeps): LockProtocol {
  const { connection } = deps;
  const keyCache = new KeyCache((resource) => new SemaphoreKeys(resource));
  const tokens = tokenSource(false, connection.link.isSharded);
  const commands = {
    claim: new ClaimCommand(SEMAPHORE_SCRIPTS, { ...deps, tokens }),
    withdraw: new WithdrawCommand(connection, SEMAPHORE_SCRIPTS, tokens),
    renew: new SemaphoreRenewCommand(connection, keyCache),
    annotate: new AnnotateCommand(connection),
  };
  const batches = new LeaseBatches(connection, commands, keyCache);
  return new SemaphoreProtocol(batches, deps.processes, scriptCallerFor(connection.calls));
}

function readWriteProtocol(deps: LockProtocolDeps): LockProtocol {
  const { connection } = deps;
  const tokens = tokenSource(deps.hasPerLockTokens, connection.link.isSharded);
  const keyCache = new KeyCache((resource) => new ResourceKeys(resource));
  const commands = {
    claim: new ClaimCommand(READ_WRITE_SCRIPTS, { ...deps, tokens }),
    withdraw: new WithdrawCommand(connection, READ_WRITE_SCRIPTS, tokens),
    renew: new ReadWriteRenewCommand(connection, keyCache),
    annotate: new AnnotateCommand(connection, RW_ANNOTATE),
  };
  const batches = new LeaseBatches(connection, commands, keyCache);
  return new ReadWriteProtocol(batches, keyCache, deps.processes, scriptCallerFor(connection.calls));
}
