import { Bedrock, type Backend } from 'bedrock-lock';
import { ContenderProcess, type BackendModule } from 'bedrock-testkit';
import { setTimeout as sleep } from 'node:timers/promises';

export interface DeadQueueOptions {
  /** The backend of the processes that die. */
  readonly source: BackendModule;
  /** The backend of the survivor. */
  readonly backend: Backend;
  readonly resource: string;
  readonly leaseMs: number;
}

/** A fair mutex with a holder and two waiters in processes of their own, and a survivor behind them. */
export interface DeadQueue {
  /** Kills the three, and resolves when the survivor has the lock. */
  servedAfterDeath(): Promise<void>;
  close(): Promise<void>;
}

export async function startDeadQueue({
  source,
  backend,
  resource,
  leaseMs,
}: DeadQueueOptions): Promise<DeadQueue> {
  const lock = { leaseMs, waitMs: 60_000 };
  const dying: ContenderProcess[] = [];
  const bedrock = new Bedrock({ backend });
  const close = async (): Promise<void> => {
    await Promise.all(dying.map((one) => one.kill()));
    await bedrock.close();
  };
  try {
    for (const label of ['holder', 'waiter 1', 'waiter 2']) {
      const job = { resource, kind: 'fairMutex', lock, bodyMs: 60_000, label } as const;
      const one = new ContenderProcess(source, job);
      dying.push(one);
      await one.until(label === 'holder' ? 'acquired' : 'asked');
    }
    const served = bedrock.fairMutex(resource, lock).acquire();
    served.catch(() => undefined);
    // Their sessions stay alive for a random time, so that they die anywhere between two heartbeats.
    await sleep(2 * leaseMs * (1 + Math.random()));
    const servedAfterDeath = async (): Promise<void> => {
      for (const one of dying) one.signal('SIGKILL');
      await (await served).release();
    };
    return { servedAfterDeath, close };
  } catch (error) {
    await close();
    throw error;
  }
}
