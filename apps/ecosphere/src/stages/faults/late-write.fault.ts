import { WorkerProcess } from '../../processes/worker.process.js';
import { GuardedRegister } from '../guarded.register.js';
import type { Finding, Trial } from '../trial.js';

/**
 * The holder's process is stopped (SIGSTOP) for longer than its lease; B gets in and writes; the holder resumes and
 * writes too. No lock can prevent that. Is its late write refused?
 */
export async function lateWrite(trial: Trial): Promise<Finding> {
  const { implementation, url, key, leaseMs } = trial;
  const register = new GuardedRegister(url, `${key}:register`);
  let isInside: () => void = () => undefined;
  const inside = new Promise<void>((resolve) => (isInside = resolve));
  const victim = new WorkerProcess('victim', { implementation, url, key, leaseMs, fate: 'stops' }, () =>
    isInside(),
  );
  try {
    await victim.ready();
    const account = victim.work();
    await Promise.race([inside, account]);
    await trial.lock().run(async ({ token }) => void (await register.write('B', token)), trial.timeoutMs);
    victim.signal('SIGCONT');
    const { isTold } = await account;
    const isBroken = (await register.read()) !== 'B';
    const told = isTold ? 'was notified of the loss' : 'was never notified';
    return {
      isBroken,
      seen: isBroken
        ? `the late write went through, and the holder ${told}`
        : `the late write was refused, the holder ${told}`,
    };
  } finally {
    await victim.end();
    await register.close();
  }
}
