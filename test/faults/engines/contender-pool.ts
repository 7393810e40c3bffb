import { ContenderProcess, eventually, type ContenderJob, type HistoryEvent } from 'bedrock-testkit';
import { lockOf } from './settings.js';

const MODULE = new URL('backend-of.mjs', import.meta.url).href;
/** Service resumes by itself within this time of the end of a fault, on a machine that has other things to do. */
const GIVE_UP_MS = 15_000;

export type PoolJob = Omit<ContenderJob, 'label' | 'lock'>;

export interface ContenderPoolSettings {
  readonly engine: string;
  /** By turns: every other process goes another way. */
  readonly backendOptions: readonly [object, object];
  readonly jobs: readonly PoolJob[];
  readonly leaseMs: number;
  readonly waitMs: number | undefined;
  /** Above 1, holders believe in longer leases than they have. */
  readonly overstated: number;
}

/** The processes that contend. */
export class ContenderPool {
  readonly processes: readonly ContenderProcess[];
  readonly #failures: string[] = [];

  constructor({ engine, backendOptions, jobs, leaseMs, waitMs, overstated }: ContenderPoolSettings) {
    this.processes = jobs.map((job, i) => {
      const source = {
        module: MODULE,
        factory: 'backendOf',
        args: [engine, backendOptions[i % 2], overstated],
      };
      // Until it gets the command to finish.
      const task = { cycles: Number.MAX_SAFE_INTEGER, ...job, lock: lockOf(leaseMs, waitMs) };
      const one = new ContenderProcess(source, task, `p${i + 1}`);
      one.ended().catch((error: Error) => this.#failures.push(error.message));
      return one;
    });
  }

  get history(): HistoryEvent[] {
    return this.processes.flatMap(({ events }) => events);
  }

  /** Resolves when it gets the lock the next time. @throws Error when that takes too long, or a process has failed */
  async waitForLock(one: ContenderProcess): Promise<void> {
    let seen = one.events.length;
    const hasIt = (): boolean => {
      const isNew = one.events.slice(seen).some(({ kind }) => kind === 'acquired');
      seen = one.events.length;
      if (!isNew && this.#failures.length > 0) throw new Error(this.#failures.join('\n'));
      return isNew;
    };
    await eventually(`${one.label} gets the lock`, hasIt, { withinMs: GIVE_UP_MS });
  }

  /** Resolves when each contender but one has acquired the lock once more. @throws Error naming those that have not */
  async waitForAll(but?: ContenderProcess): Promise<void> {
    await Promise.all(this.processes.filter((one) => one !== but).map((one) => this.waitForLock(one)));
  }

  /** They end in good order. */
  async finish(): Promise<void> {
    for (const one of this.processes) one.finish();
    await Promise.all(this.processes.map((one) => one.ended()));
  }

  async close(): Promise<void> {
    await Promise.all(this.processes.map((one) => one.kill()));
  }
}
