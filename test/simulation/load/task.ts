import { isLockError } from '../../../libs/lock/src/core/errors.js';
import type { CallOptions } from '../../../libs/lock/src/core/options/options.js';
import type { Lease } from '../../../libs/lock/src/engine/holding/lease.js';
import { WriteLease } from '../../../libs/lock/src/engine/holding/write-lease.js';
import type { Prng } from '../world/prng.js';
import type { SimClient } from './sim-client.js';
import type { LockTarget } from './locks.js';

/** What errors a user has to reckon with; anything else is a fault of the library. */
const EXPECTED: ReadonlySet<string> = new Set([
  'LOCK_WAIT_TIMEOUT', 'LOCK_BUSY', 'LOCK_ABORTED', 'LOCK_CLOSED', 'LOCK_LOST', 'LOCK_NOT_HELD', 'LOCK_REVOKED', 'BACKEND_UNAVAILABLE',
]); // prettier-ignore

/** A part of a process that takes a lock again and again, in every way there is. */
export class Task {
  readonly #prng: Prng;

  constructor(
    private readonly client: SimClient,
    /** World time, ms. */
    private readonly until: number,
  ) {
    this.#prng = client.system.world.prng.fork();
  }

  async run(): Promise<void> {
    const { client } = this;
    const { process, system } = client;
    client.busy += 1;
    try {
      while (process.time < this.until && !client.isClosing) {
        await process.sleep(this.#prng.around(system.scenario.thinkMs));
        if (client.isClosing) break;
        await this.#use(client.locks.pick(this.#prng));
      }
    } catch (error) {
      system.problems.push(`${process.name}: ${String((error as Error).stack)}`);
    } finally {
      client.busy -= 1;
    }
  }

  async #use(target: LockTarget): Promise<void> {
    const choice = this.#prng.next();
    if (choice < 0.4) await this.#runHolding(target);
    else if (choice < 0.85) await this.#acquire(target);
    else if (choice < 0.97) await this.#try(target);
    else await this.#tryForeignWrite(target);
  }

  #options(): CallOptions {
    const { waitMs, leaseMs, holdMs, isCalm } = this.client.system.scenario;
    const prng = this.#prng;
    return {
      ...(prng.chance(0.2) && { waitMs: prng.pick([0, 20, waitMs * 2]) }),
      ...(prng.chance(0.15) && { renew: false }),
      ...(prng.chance(0.05) && { maxHoldMs: holdMs * 2 }),
      ...(!isCalm && prng.chance(0.05) && { holdAtLeastMs: Math.min(leaseMs, 150) }),
      ...(prng.chance(0.05) && { failFast: true }),
    };
  }

  /** Tells that it asks; gives back the name of the call, and what to do when it is answered. */
  #asked(
    { resource }: LockTarget,
    { waitMs = this.client.system.scenario.waitMs }: CallOptions,
  ): readonly [call: string, answered: () => void] {
    const { recorder, settlements, backend } = this.client;
    if (waitMs > 0) return [recorder.asked(resource, waitMs), () => undefined];
    // One that asks once is bound by the answer to its question.
    const call = recorder.asked(resource);
    return [call, settlements.expect(call, 2 * backend.operationTimeoutMs)];
  }

  async #acquire(target: LockTarget): Promise<void> {
    const { recorder, process } = this.client;
    const options = this.#options();
    const aborting = this.#prng.chance(0.1) ? new AbortController() : undefined;
    if (aborting !== undefined) process.setTimer(() => aborting.abort(), this.#prng.between(1, 100));
    const [call, answered] = this.#asked(target, options);
    let lease: Lease;
    try {
      lease = await target.acquire({ ...options, ...(aborting && { signal: aborting.signal }) });
    } catch (error) {
      answered();
      return this.#failed(call, target, error);
    }
    answered();
    this.#checkNewLease(lease, target);
    recorder.acquired(call, lease, target.share);
    await this.#hold(lease, target);
    if (lease instanceof WriteLease && lease.isExclusive && this.#prng.chance(0.3))
      await this.#downgrade(lease);
    if (lease instanceof WriteLease === false && this.#prng.chance(0.1)) await this.#extend(lease);
    await this.#release(lease);
  }

  async #try(target: LockTarget): Promise<void> {
    const { recorder } = this.client;
    const [call, answered] = this.#asked(target, { waitMs: 0 });
    try {
      const lease = await target.tryAcquire();
      answered();
      if (lease === null)
        return recorder.record({ kind: 'failed', resource: target.resource, call, code: 'LOCK_BUSY' });
      this.#checkNewLease(lease, target);
      recorder.acquired(call, lease, target.share);
      await this.#hold(lease, target);
      await this.#release(lease);
    } catch (error) {
      answered();
      this.#failed(call, target, error);
    }
  }

  async #runHolding(target: LockTarget): Promise<void> {
    const { recorder } = this.client;
    const options = this.#options();
    const [call, answered] = this.#asked(target, options);
    let lease: Lease | undefined;
    let isReleasing = false;
    try {
      await target.run(async (held) => {
        lease = held;
        answered();
        this.#checkNewLease(held, target);
        recorder.acquired(call, held, target.share);
        await this.#hold(held, target);
        if (target.isReentrant && this.#prng.chance(0.2)) await this.#nest(target, held);
        isReleasing = true;
        recorder.releasing(held);
      }, options);
      // `run()` settles with the outcome of its release, which may have no answer, and does not tell it.
      recorder.released(lease!, (await lease!.ended) ?? 'released');
    } catch (error) {
      if (lease === undefined) {
        answered();
        this.#failed(call, target, error);
      } else {
        if (!isReleasing) recorder.releasing(lease);
        recorder.released(lease, 'lost');
        this.#expect(error);
      }
    }
  }

  /** Enters what it holds already, in two branches. */
  async #nest(target: LockTarget, lease: Lease): Promise<void> {
    const outer = target.depth();
    const branch = async (): Promise<void> => {
      await target.run(async (inner) => {
        const depth = target.depth();
        if (inner === lease && depth !== outer + 1)
          this.#reportProblem(`I6: depth ${depth} inside of ${outer}`);
        await this.#pause();
      }, {});
    };
    const results = await Promise.allSettled([branch(), branch()]);
    for (const result of results) if (result.status === 'rejected') this.#expect(result.reason);
    if (target.depth() !== outer)
      this.#reportProblem(`I6: depth ${target.depth()} after nesting in ${outer}`);
  }

  /** A lease begins with its token, and with a part of its life that is worth having. */
  #checkNewLease(lease: Lease, { isFenced }: LockTarget): void {
    if (isFenced && lease.token === 0) this.#reportProblem(`I2: ${lease.id} has no token`);
    const { leaseMs, maxHoldMs } = lease.settings;
    // A pushed grant lives for a second at first. The margin may already be subtracted.
    const leastMs = Math.min((Math.min(leaseMs, 1_000) / 3) * 0.98, maxHoldMs) - 2;
    const givenMs = lease.endsAt - lease.grantedAt;
    if (givenMs < leastMs && this.client.system.scenario.hiccupShare === 0)
      this.#reportProblem(`I3: ${lease.id} began with ${givenMs.toFixed(1)} ms of ${leaseMs}`);
  }

  /** Works while it holds: looks at its lease, and counts in the store. */
  async #hold(lease: Lease, { isFenced, resource }: LockTarget): Promise<void> {
    const { recorder, process, system } = this.client;
    recorder.observe(lease);
    if (isFenced && this.#prng.chance(0.6) && lease.isHeld) {
      const value = await system.store.read(process, resource, lease.token);
      recorder.observe(lease);
      await this.#pause();
      // The check may be over by the time of the write: the store is there for that.
      if (value !== undefined && recorder.observe(lease))
        await system.store.write(process, resource, lease.token, value + 1);
    } else await this.#pause();
    if (!system.scenario.isCalm && this.#prng.chance(0.03))
      process.block(this.#prng.around(Math.min(system.scenario.leaseMs / 10, 200)));
    recorder.observe(lease);
    if (this.#prng.chance(0.05)) await this.#holdOn(lease);
    recorder.observe(lease);
  }

  /** Holds for longer than a lease, as long as it may. */
  async #holdOn(lease: Lease): Promise<void> {
    const { recorder, process, system } = this.client;
    const until = process.time + Math.min(system.scenario.leaseMs * 1.5, 1_500);
    while (process.time < until && recorder.observe(lease)) await process.sleep(40);
    if (system.scenario.isCalm && lease.settings.renew && lease.lossReason === 'expired')
      this.#reportProblem(`I4: ${lease.id} was not renewed, though nothing was wrong`);
  }

  async #extend(lease: Lease): Promise<void> {
    try {
      await lease.extend();
      this.client.recorder.extended(lease);
    } catch (error) {
      this.#expect(error);
    }
  }

  async #downgrade(lease: WriteLease): Promise<void> {
    const { recorder } = this.client;
    if (!lease.isHeld) return;
    recorder.downgrading(lease, { units: 1, capacity: 2 ** 31 - 1 });
    try {
      await lease.downgrade();
    } catch (error) {
      this.#expect(error);
    }
    await this.#pause();
    recorder.observe(lease);
  }

  async #release(lease: Lease): Promise<void> {
    const { recorder, settlements, backend } = this.client;
    recorder.releasing(lease);
    const settled = settlements.expect(`the release of ${lease.id}`, backend.operationTimeoutMs);
    const outcome = await lease.release();
    settled();
    recorder.released(lease, outcome);
    recorder.observe(lease);
    if (this.#prng.chance(0.1) && (await lease.release()) !== outcome)
      this.#reportProblem('a second release differs');
  }

  /** Tries what must do nothing: to renew and to withdraw what it does not have. */
  async #tryForeignWrite({ resource, kind }: LockTarget): Promise<void> {
    const { backend, recorder, system } = this.client;
    const shape = system.shapeOf(kind);
    const ref = { id: `${system.prng.pick(system.processIds)}:999999`, resource, shape };
    const [renewed] = await backend.leases.renew([{ ...ref, leaseMs: 20_000, keepMs: 0 }]);
    if (renewed !== 'unknown')
      recorder.record({ kind: 'meddled', resource, verb: 'renew', outcome: renewed! });
    try {
      const outcome = await backend.leases.withdraw(ref, { keepMs: 0, leaveQueue: false });
      recorder.record({ kind: 'meddled', resource, verb: 'withdraw', outcome });
    } catch (error) {
      this.#expect(error);
    }
  }

  #pause(): Promise<void> {
    const { process, system } = this.client;
    return process.sleep(this.#prng.around(system.scenario.holdMs));
  }

  #failed(call: string, { resource }: LockTarget, error: unknown): void {
    this.client.recorder.failed(call, resource, error);
    this.#expect(error);
  }

  #expect(error: unknown): void {
    if (!isLockError(error) || !EXPECTED.has(error.code))
      this.#reportProblem(`unexpected: ${String((error as Error).stack)}`);
  }

  #reportProblem(text: string): void {
    this.client.reportProblem(text);
  }
}
