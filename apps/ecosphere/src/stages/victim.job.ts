import { setTimeout as sleep } from 'node:timers/promises';
import type { ReadyJob } from '../processes/process-job.js';
import type { Hook } from './trial.lock.js';
import { GuardedRegister } from './guarded.register.js';
import { IMPLEMENTATIONS, type ImplementationName } from './implementations.js';
import { isToldOfLoss } from './told-of-loss.js';

export interface VictimInput {
  readonly implementation: ImplementationName;
  readonly url: string;
  readonly key: string;
  readonly leaseMs: number;
  /** Killed after the first command of the acquisition, or stopped in the middle of the work. */
  readonly fate: 'dies' | 'stops';
}

export interface VictimResult {
  /** True if the lock reported its loss to this holder. */
  readonly isTold: boolean;
}

/** A process that suffers a fault. */
export async function victimJob({ fate, ...options }: VictimInput): Promise<ReadyJob<VictimResult>> {
  const register = new GuardedRegister(options.url, `${options.key}:register`);
  const at: Hook = async (moment) => {
    if (fate === 'dies' && moment === 'afterFirstCommand') signalSelf('SIGKILL');
  };
  const lock = IMPLEMENTATIONS[options.implementation].make({ ...options, at });
  // A command of its own, so that both connections are open before the work begins.
  await register.read();
  return {
    async work(onProgress) {
      const turn = lock.run(async ({ token }) => {
        onProgress(1);
        // The message must leave before the process stops.
        await sleep(10);
        signalSelf('SIGSTOP');
        await register.write('the late holder', token);
      }, 5 * options.leaseMs);
      return { isTold: await isToldOfLoss(turn) };
    },
    async close() {
      await lock.close();
      await register.close();
    },
  };
}

/** Signals this process itself, and blocks it until the signal has arrived. */
function signalSelf(signal: NodeJS.Signals): void {
  process.kill(process.pid, signal);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
}
