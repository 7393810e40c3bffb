import type { Backend, Clock } from 'bedrock-lock';
import { FaultyBackend } from '../faults/faulty-backend.js';
import type { History, HistoryEvent } from '../history/history-event.js';
import { contend } from './contend.js';
import type { BackendModule, ContenderJob } from './contender-job.js';
import { ContenderProcess } from './contender-process.js';

/** Runs each job in a process of its own, all at the same time, and returns their common history. */
export async function runContendersAsProcesses(
  source: BackendModule,
  jobs: readonly ContenderJob[],
): Promise<History> {
  const processes = jobs.map((job, i) => new ContenderProcess(source, job, job.label ?? `p${i + 1}`));
  try {
    await Promise.all(processes.map((one) => one.ended()));
  } finally {
    await Promise.all(processes.map((one) => one.kill()));
  }
  return processes.flatMap(({ events }) => events);
}

/**
 * The same in this process, for backends that other processes cannot reach: each job is a peer of its own. A crash cuts
 * off its backend, so that the other peers see a dead process.
 */
export async function runContendersAsPeers(
  makeBackend: (label: string) => Backend | Promise<Backend>,
  jobs: readonly ContenderJob[],
  clock?: Clock,
): Promise<History> {
  const events: HistoryEvent[] = [];
  await Promise.all(
    jobs.map(async (job, i) => {
      const label = job.label ?? `p${i + 1}`;
      const backend = new FaultyBackend(await makeBackend(label), { ...(clock && { clock }) });
      let isDead = false;
      await new Promise<void>((end, fail) => {
        const crash = (): Promise<never> => {
          isDead = true;
          backend.cutOff();
          end();
          return new Promise(() => undefined);
        };
        const write = (event: HistoryEvent): void => {
          if (!isDead) events.push(event);
        };
        contend(job, { backend, label, write, crash, clock }).then(end, fail);
      });
    }),
  );
  return events;
}
