import { ContenderProcess, eventually, type ContenderJob, type HistoryEvent } from 'bedrock-testkit';
import { delay } from './delay.js';
import type { Deployment } from './deployment.js';
import { LOCK_OPTIONS, COMBINATION_OPTIONS } from './settings.js';

const MODULE = new URL('combination-of.mjs', import.meta.url).href;

const POLL_MS = 5;
/** Service resumes by itself within this time of the end of a fault, on a machine that has other things to do. */
const GIVE_UP_MS = 15_000;

/** What the processes of a pool do, by turns: short holds, and long ones that need renewals. */
export type PoolJob = Omit<ContenderJob, 'label' | 'lock'>;

/** The processes that contend; one that is killed is replaced. */
export class ContenderPool {
  /** Why processes have failed. */
  readonly failures: string[] = [];
  readonly #all: ContenderProcess[] = [];
  #alive: { readonly one: ContenderProcess; readonly job: PoolJob; readonly isProxied: boolean }[] = [];

  constructor(
    private readonly deployment: Deployment,
    /** Every other process goes through the proxies, so that a network fault does not affect all of them. */
    jobs: readonly PoolJob[],
    private readonly rules: Partial<typeof COMBINATION_OPTIONS> = {},
  ) {
    jobs.forEach((job, i) => this.#start(job, i % 2 === 0));
  }

  get processes(): readonly ContenderProcess[] {
    return this.#alive.map(({ one }) => one);
  }

  get history(): HistoryEvent[] {
    return this.#all.flatMap(({ events }) => events);
  }

  /** How many leases there have been since then. */
  leases(since = -Infinity): number {
    return this.history.filter(({ kind, at }) => kind === 'acquired' && at > since).length;
  }

  /** Kills one, and puts another one in its place, which gets the lock. */
  async replace(target: ContenderProcess): Promise<void> {
    const { job, isProxied } = this.#alive.find(({ one }) => one === target)!;
    await target.kill();
    this.#alive = this.#alive.filter(({ one }) => one !== target);
    await this.waitForLock(this.#start(job, isProxied));
  }

  /** Resolves when it gets the lock the next time. @throws Error when that takes too long, or a process has failed */
  async waitForLock(one: ContenderProcess): Promise<void> {
    await eventually(`${one.label} gets the lock`, this.#nextLockOf(one), { withinMs: GIVE_UP_MS });
  }

  /** Whether it gets the lock the next time before `ms` have passed. @throws Error when a process has failed */
  async holdsWithin(one: ContenderProcess, ms: number): Promise<boolean> {
    const hasIt = this.#nextLockOf(one);
    for (const giveUpAt = performance.now() + ms; !hasIt(); await delay(POLL_MS))
      if (performance.now() > giveUpAt) return false;
    return true;
  }

  /** Resolves when each contender has acquired the lock once more. @throws Error naming those that have not */
  async waitForAll(): Promise<void> {
    await Promise.all(this.processes.map((one) => this.waitForLock(one)));
  }

  /** They end in good order. */
  async finish(): Promise<void> {
    for (const one of this.processes) one.finish();
    await Promise.all(this.processes.map((one) => one.ended()));
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((one) => one.kill()));
  }

  /** True once it has got the lock again. */
  #nextLockOf(one: ContenderProcess): () => boolean {
    let seen = one.events.length;
    return () => {
      const isNew = one.events.slice(seen).some(({ kind }) => kind === 'acquired');
      seen = one.events.length;
      if (!isNew && this.failures.length > 0) throw new Error(this.failures.join('\n'));
      return isNew;
    };
  }

  #start(job: PoolJob, isProxied: boolean): ContenderProcess {
    const source = {
      module: MODULE,
      factory: 'combinationOf',
      args: [this.deployment.addresses(isProxied), { ...COMBINATION_OPTIONS, ...this.rules }],
    };
    const label = `p${this.#all.length + 1}`;
    // Until it gets the command to finish.
    const one = new ContenderProcess(
      source,
      { cycles: Number.MAX_SAFE_INTEGER, ...job, lock: LOCK_OPTIONS },
      label,
    );
    this.#all.push(one);
    one.ended().catch((error: Error) => this.failures.push(error.message));
    this.#alive.push({ one, job, isProxied });
    return one;
  }
}
