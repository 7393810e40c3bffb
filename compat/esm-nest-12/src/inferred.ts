/**
 * What applications export without writing down its type. With `declaration: true` the compiler has to name every type in it by an
 * entry of the libraries, and else fails: TS2883, TS2742 before TypeScript 6. Compiled, never run.
 */
import {
  multiLock,
  type Backend,
  type Bedrock,
  type CountdownLatch,
  type CountingSemaphore,
  type ExpirableSemaphore,
  type FairMutex,
  type Idempotency,
  type LeaderElection,
  type LeaderTerm,
  type Lease,
  type LockEvents,
  type LockWaitTimeoutError,
  type MultiLease,
  type MultiLock,
  type Mutex,
  type Permit,
  type ReadWriteLock,
  type Semaphore,
  type WriteLease,
} from 'bedrock-lock';
import { combination } from 'bedrock-lock/combination';
import { etcd } from 'bedrock-lock/etcd';
import { memory, MemoryStore } from 'bedrock-lock/memory';
import { mysql, mysqlSessions, mysqlTransactionLocks } from 'bedrock-lock/mysql';
import { lockInTransaction, postgres, postgresSession } from 'bedrock-lock/postgres';
import { redis } from 'bedrock-lock/redis';
import { zookeeper } from 'bedrock-lock/zookeeper';
import { FaultyBackend, ManualClock } from 'bedrock-testkit';
import {
  BedrockLockModule,
  DistributedLock,
  Idempotent,
  lockWhile,
  OnLeader,
  type BedrockService,
  type LockRegistration,
} from 'nestjs-bedrock';
import type { BedrockHealthIndicator } from 'nestjs-bedrock/terminus';
import { BedrockTestingModule, overrideBackends, type RecordedLocks } from 'nestjs-bedrock/testing';

/** Its declaration spells out every member, with its types. */
const membersOf = <T extends object>(one: T): { [K in keyof T]: T[K] } => one;

export const bedrockMembers = (one: Bedrock) => membersOf(one);
export const locks = {
  mutex: (one: Mutex) => membersOf(one),
  fairMutex: (one: FairMutex) => membersOf(one),
  readWriteLock: ({ read, write, ...rest }: ReadWriteLock) => [membersOf(read), membersOf(write), rest],
  semaphore: (one: Semaphore) => membersOf(one),
  multiLock: (one: MultiLock) => membersOf(one),
  several: (one: Mutex, other: Mutex) => multiLock([one, other]),
};
export const leases = {
  lease: (one: Lease) => membersOf(one),
  writeLease: (one: WriteLease) => membersOf(one),
  multiLease: (one: MultiLease) => membersOf(one),
  permit: (one: Permit) => membersOf(one),
  term: (one: LeaderTerm) => membersOf(one),
};
export const others = {
  latch: (one: CountdownLatch) => membersOf(one),
  counting: (one: CountingSemaphore) => membersOf(one),
  expirable: (one: ExpirableSemaphore) => membersOf(one),
  election: (one: LeaderElection) => membersOf(one),
  idempotency: (one: Idempotency) => membersOf(one),
};
export const settingsOf = (
  lock: Mutex,
  election: LeaderElection,
  semaphore: Semaphore,
  latch: CountdownLatch,
) => ({
  ...{ lock: lock.settings, shape: lock.settings.shape, spin: lock.settings.spin },
  ...{ election: election.settings, semaphore: semaphore.settings, latch: latch.settings },
});
export const secretsOf = (one: Idempotency) => one.settings.encryption;
export const holderOf = (error: LockWaitTimeoutError) => error.holder;
export const processOf = (error: LockWaitTimeoutError) => error.holder?.process;
export const reasonOf = (event: LockEvents['lease.lost']) => [event, event.reason];

export const driversOf = (one: Backend) => membersOf(one);
export const verbsOf = (
  one: Required<Pick<Backend, 'leases' | 'counters' | 'permits' | 'records' | 'nodes'>>,
) => ({
  ...{ leases: membersOf(one.leases), counters: membersOf(one.counters), permits: membersOf(one.permits) },
  ...{ records: membersOf(one.records), nodes: membersOf(one.nodes) },
});

export const backends = {
  combination,
  etcd,
  memory,
  mysql,
  mysqlSessions,
  postgres,
  postgresSession,
  redis,
  zookeeper,
};
export const ofTransactions = { mysqlTransactionLocks, lockInTransaction };
export const redisOptions = (...options: Parameters<typeof redis>) => options[0];
export const newStore = () => membersOf(new MemoryStore());

export const serviceMembers = (one: BedrockService) => membersOf(one);
export const modules = { forRoot: BedrockLockModule.forRoot, forFeature: BedrockLockModule.forFeature };
export const registered = (one: LockRegistration) => membersOf(one);
export const decorators = {
  locked: (lock: string) => DistributedLock(lock),
  skipping: (lock: string) => DistributedLock({ lock, onBusy: 'skip' }),
  once: (idempotency: string) => Idempotent(idempotency),
  leading: (election: string) => OnLeader(election),
};
export const options = (...given: Parameters<typeof DistributedLock<[id: string]>>) => given[0];
export const whileLocked = (lock: Mutex) => lockWhile<string>(lock);
export const healthOf = (one: BedrockHealthIndicator) => one.check('locks');

export const faulty = (inner: Backend) => membersOf(new FaultyBackend(inner, { clock: new ManualClock() }));
export const testing = { noLocks: BedrockTestingModule.noLocks, overrideBackends };
export const recordedMembers = (one: RecordedLocks) => membersOf(one);
