import type { JavaProcess } from './java-process.js';
import type { Reply } from './words.js';

/** Types of Redisson, as the Java side calls them. */
export type JavaKind =
  'lock' | 'fair' | 'spin' | 'read' | 'write' | 'multi' | 'fenced' | 'semaphore' | 'expirable' | 'latch';

/** One object of Redisson, used by one thread. Times are ms. */
export class JavaObject {
  constructor(
    readonly process: JavaProcess,
    readonly thread: string,
    readonly kind: JavaKind,
    readonly name: string,
  ) {}

  protected async text(
    verb: string,
    ...args: readonly (string | number)[]
  ): Promise<Reply<string | undefined>> {
    return this.process.ask(this.thread, [this.kind, this.name, verb, ...args.map(String)]);
  }

  protected async flag(...call: Parameters<JavaObject['text']>): Promise<Reply<boolean>> {
    const reply = await this.text(...call);
    return { ...reply, value: reply.value === 'true' };
  }

  protected async number(...call: Parameters<JavaObject['text']>): Promise<Reply<number>> {
    const reply = await this.text(...call);
    return { ...reply, value: Number(reply.value) };
  }

  /** Ids, which travel one per line; none of nothing. */
  protected async ids(...call: Parameters<JavaObject['text']>): Promise<Reply<readonly string[]>> {
    const reply = await this.text(...call);
    return { ...reply, value: reply.value?.split('\n') ?? [] };
  }
}

/** Whatever is an RLock. A lease that is left out is the watchdog's. */
export class JavaLock extends JavaObject {
  lock(leaseMs?: number) {
    return this.text('lock', ...given(leaseMs));
  }
  tryLock(waitMs: number, leaseMs?: number) {
    return this.flag('tryLock', waitMs, ...given(leaseMs));
  }
  unlock() {
    return this.text('unlock');
  }
  forceUnlock() {
    return this.flag('forceUnlock');
  }
  isLocked() {
    return this.flag('isLocked');
  }
  isHeld() {
    return this.flag('isHeld');
  }
  holdCount() {
    return this.number('holdCount');
  }
  remainingMs() {
    return this.number('remainingMs');
  }
}

/** RFencedLock. */
export class JavaFencedLock extends JavaLock {
  lockAndGetToken(leaseMs?: number) {
    return this.number('lockAndGetToken', ...given(leaseMs));
  }
  tryLockAndGetToken(waitMs: number, leaseMs?: number) {
    return this.number('tryLockAndGetToken', waitMs, ...given(leaseMs));
  }
  /** The counter, shared by all threads. */
  token() {
    return this.number('token');
  }
}

/** RSemaphore. */
export class JavaSemaphore extends JavaObject {
  trySetPermits(permits: number) {
    return this.flag('trySetPermits', permits);
  }
  addPermits(permits: number) {
    return this.text('addPermits', permits);
  }
  acquire(permits = 1) {
    return this.text('acquire', permits);
  }
  tryAcquire(permits: number, waitMs: number) {
    return this.flag('tryAcquire', permits, waitMs);
  }
  release(permits = 1) {
    return this.text('release', permits);
  }
  drainPermits() {
    return this.number('drainPermits');
  }
  availablePermits() {
    return this.number('availablePermits');
  }
}

/** RPermitExpirableSemaphore. */
export class JavaExpirableSemaphore extends JavaObject {
  trySetPermits(permits: number) {
    return this.flag('trySetPermits', permits);
  }
  setPermits(permits: number) {
    return this.text('setPermits', permits);
  }
  addPermits(permits: number) {
    return this.text('addPermits', permits);
  }
  acquire(permits: number, leaseMs?: number) {
    return this.ids('acquire', permits, ...given(leaseMs));
  }
  tryAcquire(permits: number, waitMs: number, leaseMs: number) {
    return this.ids('tryAcquire', permits, waitMs, leaseMs);
  }
  release(ids: readonly string[]) {
    return this.text('release', ids.join('\n'));
  }
  /** How many of them were released. */
  tryRelease(ids: readonly string[]) {
    return this.number('tryRelease', ids.join('\n'));
  }
  updateLeaseTime(id: string, leaseMs: number) {
    return this.flag('updateLeaseTime', id, leaseMs);
  }
  leaseTime(id: string) {
    return this.number('leaseTime', id);
  }
  permits() {
    return this.number('permits');
  }
  acquiredPermits() {
    return this.number('acquiredPermits');
  }
  availablePermits() {
    return this.number('availablePermits');
  }
}

/** RCountDownLatch. */
export class JavaLatch extends JavaObject {
  trySetCount(count: number) {
    return this.flag('trySetCount', count);
  }
  countDown() {
    return this.text('countDown');
  }
  await(waitMs: number) {
    return this.flag('await', waitMs);
  }
  count() {
    return this.number('count');
  }
}

function given(ms: number | undefined): number[] {
  return ms === undefined ? [] : [ms];
}
