import { isLockError } from '../../../libs/lock/src/core/errors.js';
import type { CallOptions } from '../../../libs/lock/src/core/options/options.js';
import type { Lease } from '../../../libs/lock/src/engine/holding/lease.js';
import { WriteLease } from '../../../libs/lock/src/engine/holding/write-lease.js';
import type { Prng } from '../world/prng.js';
import type { Client } from './client.js';
import type { Target } from './locks.js';

/** What errors a user has to reckon with; anything else is a fault of the library. */
const EXPECTED: ReadonlySet<string> = new Set([
  'LOCK_WAIT_TIMEOUT', 'LOCK_BUSY', 'LOCK_ABORTED', 'LOCK_CLOSED', 'LOCK_LOST', 'LOCK_NOT_HELD', 'LOCK_REVOKED', 'BACKEND_UNAVAILABLE',
]); // prettier-ignore

/** A part of a process that takes a lock again and again, in every way there is. */
export class Task {
  readonly #prng: Prng;

  constructor(
    private readonly client: Client,
    /** World time, ms. */
    private readonly until: number,
  ) {
    this.#prng = client.site.world.prng.fork();
  }

  async run(): Promise<void> {
    const { client } = this;
    const { process, site } = client;
    client.busy += 1;
    try {
      while (process.time < this.until && !client.isClosing) {
        await process.sleep(this.#prng.around(site.scenario.thinkMs));
        if (client.isClosing) break;
        await this.#use(client.locks.pick(this.#prng));
      }
    } catch (error) {
      site.complaints.push(`${process.name}: ${String((error as Error).stack)}`);
    } finally {
      client.busy -= 1;
    }
  }

  async #use(target: Target): Promise<void> {
    const choice = this.#prng.next();
    if (choice < 0.4) await this.#runHolding(target);
    else if (choice < 0.85) await this.#acquire(target);
    else if (choice < 0.97) await this.#try(target);
    else await this.#meddle(target);
  }

  #options(): CallOptions {
    const { waitMs, leaseMs, holdMs, isCalm } = this.client.site.scenario;
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
    { resource }: Target,
    { waitMs = this.client.site.scenario.waitMs }: CallOptions,
  ): readonly [call: string, answered: () => void] {
    const { scribe, patience, backend } = this.client;
    if (waitMs > 0) return [scribe.asked(resource, waitMs), () => undefined];
    // One that asks once is bound by the answer to its question.
    const call = scribe.asked(resource);
    return [call, patience.expect(call, 2 * backend.operationTimeoutMs)];
  }

  async #acquire(target: Target): Promise<void> {
    const { scribe, process } = this.client;
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
    this.#look(lease, target);
    scribe.acquired(call, lease, target.share);
    await this.#hold(lease, target);
    if (lease instanceof WriteLease && lease.isExclusive && this.#prng.chance(0.3))
      await this.#downgrade(lease);
    if (lease instanceof WriteLease === false && this.#prng.chance(0.1)) await this.#extend(lease);
    await this.#release(lease);
  }

  async #try(target: Target): Promise<void> {
    const { scribe } = this.client;
    const [call, answered] = this.#asked(target, { waitMs: 0 });
    try {
      const lease = await target.tryAcquire();
      answered();
      if (lease === null)
        return scribe.tell({ kind: 'failed', resource: target.resource, call, code: 'LOCK_BUSY' });
      this.#look(lease, target);
      scribe.acquired(call, lease, target.share);
      await this.#hold(lease, target);
      await this.#release(lease);
    } catch (error) {
      answered();
      this.#failed(call, target, error);
    }
  }

  async #runHolding(target: Target): Promise<void> {
    const { scribe } = this.client;
    const options = this.#options();
    const [call, answered] = this.#asked(target, options);
    let lease: Lease | undefined;
    let isReleasing = false;
    try {
      await target.run(async (held) => {
        lease = held;
        answered();
        this.#look(held, target);
        scribe.acquired(call, held, target.share);
        await this.#hold(held, target);
        if (target.isReentrant && this.#prng.chance(0.2)) await this.#nest(target, held);
        isReleasing = true;
        scribe.releasing(held);
      }, options);
      // `run()` settles with the outcome of its release, which may have no answer, and does not tell it.
      scribe.released(lease!, (await lease!.ended) ?? 'released');
    } catch (error) {
      if (lease === undefined) {
        answered();
        this.#failed(call, target, error);
      } else {
        if (!isReleasing) scribe.releasing(lease);
        scribe.released(lease, 'lost');
        this.#expect(error);
      }
    }
  }

  /** Enters what it holds already, in two branches. */
  async #nest(target: Target, lease: Lease): Promise<void> {
    const outer = target.depth();
    const branch = async (): Promise<void> => {
      await target.run(async (inner) => {
        const depth = target.depth();
        if (inner === lease && depth !== outer + 1) this.#complain(`I6: depth ${depth} inside of ${outer}`);
        await this.#pause();
      }, {});
    };
    const results = await Promise.allSettled([branch(), branch()]);
    for (const result of results) if (result.status === 'rejected') this.#expect(result.reason);
    if (target.depth() !== outer) this.#complain(`I6: depth ${target.depth()} after nesting in ${outer}`);
  }

  /** A lease begins with its token, and with a part of its life that is worth having. */
  #look(lease: Lease, { isFenced }: Target): void {
    if (isFenced && lease.token === 0) this.#complain(`I2: ${lease.id} has no token`);
    const { leaseMs, maxHoldMs } = lease.settings;
    // What is granted without being asked for lives for a second at first. The margin may be off it already.
    const leastMs = Math.min((Math.min(leaseMs, 1_000) / 3) * 0.98, maxHoldMs) - 2;
    const givenMs = lease.endsAt - lease.grantedAt;
    if (givenMs < leastMs && this.client.site.scenario.hiccupShare === 0)
      this.#complain(`I3: ${lease.id} began with ${givenMs.toFixed(1)} ms of ${leaseMs}`);
  }

  /** Works while it holds: looks at its lease, and counts in the store. */
  async #hold(lease: Lease, { isFenced, resource }: Target): Promise<void> {
    const { scribe, process, site } = this.client;
    scribe.see(lease);
    if (isFenced && this.#prng.chance(0.6) && lease.isHeld) {
      const value = await site.store.read(process, resource, lease.token);
      scribe.see(lease);
      await this.#pause();
      // The check may be over by the time of the write: the store is there for that.
      if (value !== undefined && scribe.see(lease))
        await site.store.write(process, resource, lease.token, value + 1);
    } else await this.#pause();
    if (!site.scenario.isCalm && this.#prng.chance(0.03))
      process.block(this.#prng.around(Math.min(site.scenario.leaseMs / 10, 200)));
    scribe.see(lease);
    if (this.#prng.chance(0.05)) await this.#holdOn(lease);
    scribe.see(lease);
  }

  /** Holds for longer than a lease, as long as it may. */
  async #holdOn(lease: Lease): Promise<void> {
    const { scribe, process, site } = this.client;
    const until = process.time + Math.min(site.scenario.leaseMs * 1.5, 1_500);
    while (process.time < until && scribe.see(lease)) await process.sleep(40);
    if (site.scenario.isCalm && lease.settings.renew && lease.lossReason === 'expired')
      this.#complain(`I4: ${lease.id} was not renewed, though nothing was wrong`);
  }

  async #extend(lease: Lease): Promise<void> {
    try {
      await lease.extend();
      this.client.scribe.extended(lease);
    } catch (error) {
      this.#expect(error);
    }
  }

  async #downgrade(lease: WriteLease): Promise<void> {
    const { scribe } = this.client;
    if (!lease.isHeld) return;
    scribe.downgrading(lease, { units: 1, capacity: 2 ** 31 - 1 });
    try {
      await lease.downgrade();
    } catch (error) {
      this.#expect(error);
    }
    await this.#pause();
    scribe.see(lease);
  }

  async #release(lease: Lease): Promise<void> {
    const { scribe, patience, backend } = this.client;
    scribe.releasing(lease);
    const settled = patience.expect(`the release of ${lease.id}`, backend.operationTimeoutMs);
    const outcome = await lease.release();
    settled();
    scribe.released(lease, outcome);
    scribe.see(lease);
    if (this.#prng.chance(0.1) && (await lease.release()) !== outcome)
      this.#complain('a second release differs');
  }

  /** Tries what must do nothing: to renew and to withdraw what it does not have. */
  async #meddle({ resource, kind }: Target): Promise<void> {
    const { backend, scribe, site } = this.client;
    const shape = site.shapeOf(kind);
    const ref = { id: `${site.prng.pick(site.processIds)}:999999`, resource, shape };
    const [renewed] = await backend.leases.renew([{ ...ref, leaseMs: 20_000, keepMs: 0 }]);
    if (renewed !== 'unknown') scribe.tell({ kind: 'meddled', resource, verb: 'renew', outcome: renewed! });
    try {
      const outcome = await backend.leases.withdraw(ref, { keepMs: 0, leaveQueue: false });
      scribe.tell({ kind: 'meddled', resource, verb: 'withdraw', outcome });
    } catch (error) {
      this.#expect(error);
    }
  }

  #pause(): Promise<void> {
    const { process, site } = this.client;
    return process.sleep(this.#prng.around(site.scenario.holdMs));
  }

  #failed(call: string, { resource }: Target, error: unknown): void {
    this.client.scribe.failed(call, resource, error);
    this.#expect(error);
  }

  #expect(error: unknown): void {
    if (!isLockError(error) || !EXPECTED.has(error.code))
      this.#complain(`unexpected: ${String((error as Error).stack)}`);
  }

  #complain(text: string): void {
    this.client.complain(text);
  }
}
