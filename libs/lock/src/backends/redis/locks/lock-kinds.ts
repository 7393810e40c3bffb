import type { AwaitedGrants } from '../presence/awaited-grants.js';
import { ClaimVerb, type Guard } from './claim-verb.js';
import type { Connection } from '../connection/connection.js';
import { WithdrawVerb } from './held-verbs.js';
import { JointClaimVerb } from './joint-claim-verb.js';
import { KeyRing, ResourceKeys, tokenSource } from '../protocol/keys.js';
import { LeaseBatches } from './lease-batches.js';
import type { ProcessRows } from '../presence/process-rows.js';
import type { ReplicaAcks } from '../protocol/replica-acks.js';
import type { ServerTime } from '../connection/server-time.js';
import { askerOf } from '../protocol/ask-script.js';
import { FAIR } from './fair-format.js';
import type { LockKind } from './lock-kind.js';
import { MutexKind, type MutexFormat } from './mutex-kind.js';
import { PLAIN } from './plain-format.js';
import { NOTE_VERB, READ_WRITE, ReadWriteKind, renewVerb } from './read-write-kind.js';
import { SEMAPHORE_SCRIPTS, SemaphoreKeys, SemaphoreKind, semaphoreRenewal } from './semaphore-kind.js';

/** What all kinds of lock on one server stand on. */
export interface KindGround {
  readonly connection: Connection;
  readonly guard: Guard;
  readonly time: ServerTime;
  readonly rows: ProcessRows;
  readonly awaited: AwaitedGrants;
  /** Tokens of a lock come from a counter of its own, Redisson's. */
  readonly ownTokens: boolean;
  /** What is granted counts only when these say so. */
  readonly acks: ReplicaAcks | undefined;
}

/** Every kind of lock that Redis serves. */
export function lockKinds(ground: KindGround): readonly LockKind[] {
  return [mutexKind(PLAIN, ground), mutexKind(FAIR, ground), readWriteKind(ground), semaphoreKind(ground)];
}

function mutexKind(format: MutexFormat, ground: KindGround): LockKind {
  const { connection, guard, time, rows, awaited, ownTokens } = ground;
  const tokens = tokenSource(ownTokens, connection.link.isSharded);
  const claim = new ClaimVerb(format, { guard, time, rows, tokens, awaited });
  const claimAll = format.claimAll && new JointClaimVerb(format.claimAll, claim);
  const verbs = { claim, ...(claimAll && { claimAll }), withdraw: new WithdrawVerb(format, tokens) };
  const batches = new LeaseBatches(connection, verbs, new KeyRing(format.keysOf), ground.acks);
  return new MutexKind(format, batches, rows, askerOf(connection));
}

function semaphoreKind(ground: KindGround): LockKind {
  const { connection, guard, time, rows, awaited } = ground;
  const ring = new KeyRing((resource) => new SemaphoreKeys(resource));
  const tokens = tokenSource(false, connection.link.isSharded);
  const verbs = {
    claim: new ClaimVerb(SEMAPHORE_SCRIPTS, { guard, time, rows, tokens, awaited }),
    withdraw: new WithdrawVerb(SEMAPHORE_SCRIPTS, tokens),
    renew: semaphoreRenewal(ring),
  };
  const batches = new LeaseBatches(connection, verbs, ring, ground.acks);
  return new SemaphoreKind(batches, rows, askerOf(connection));
}

function readWriteKind(ground: KindGround): LockKind {
  const { connection, guard, time, rows, awaited, ownTokens } = ground;
  const tokens = tokenSource(ownTokens, connection.link.isSharded);
  const ring = new KeyRing((resource) => new ResourceKeys(resource));
  const verbs = {
    claim: new ClaimVerb(READ_WRITE, { guard, time, rows, tokens, awaited }),
    withdraw: new WithdrawVerb(READ_WRITE, tokens),
    renew: renewVerb(ring),
    annotate: NOTE_VERB,
  };
  const batches = new LeaseBatches(connection, verbs, ring, ground.acks);
  return new ReadWriteKind(batches, ring, rows, askerOf(connection));
}
