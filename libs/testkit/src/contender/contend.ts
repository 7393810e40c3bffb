import { readFileSync, writeFileSync } from 'node:fs';
import { Bedrock, sleep, systemClock, type Backend, type Lease } from 'bedrock-lock';
import { HistoryRecorder } from '../history/history-recorder.js';
import type { HistoryEvent } from '../history/history-event.js';
import { JOB_DEFAULTS, type ContenderBody, type ContenderJob } from './contender-job.js';
import { turnOf } from './turn.js';

/** How often a contender asks for its server before it gives up. */
const START_TRIES = 5;

/** How a contender is bound to the process that it runs in. */
export interface Surroundings {
  readonly backend: Backend;
  readonly label: string;
  write(event: HistoryEvent): void;
  readonly body?: ContenderBody | undefined;
  /** Whether no more acquisitions are wanted. @default never */
  isFinished?(): boolean;
  /** Ends the process at once; never settles. */
  crash(): Promise<never>;
}

/** Does the job and closes; resolves when it is done. */
export async function contend(job: ContenderJob, surroundings: Surroundings): Promise<void> {
  const { backend, label } = surroundings;
  const { resource, resources = [resource], tasks = 1, forMs = Infinity, handOver = {} } = job;
  const { cycles = forMs < Infinity ? Infinity : 1 } = job;
  const endsAt = systemClock.now() + forMs;
  const bedrock = new Bedrock({ backend, handOver, defaults: { ...JOB_DEFAULTS, ...job.lock } });
  const recorder = new HistoryRecorder(label, (event) => surroundings.write(event));
  await served(bedrock);
  const unfollow = recorder.follow(bedrock);
  const { counterFile: _, ...reading } = job;
  let held = 0;
  const cycle = async (): Promise<void> => {
    const resource = resources[Math.floor(systemClock.random() * resources.length)]!;
    const { waitMs, ask, share, isReader = false } = turnOf({ ...job, resource }, bedrock);
    const lease = await recorder.acquire(resource, waitMs, ask, share);
    if (lease === undefined) return;
    held += 1;
    if (held === job.crashAt) await surroundings.crash();
    await surroundings.body?.work(lease);
    await body(isReader ? reading : job, lease, recorder);
    await recorder.release(lease);
  };
  const task = async (): Promise<void> => {
    const isOver = (): boolean => systemClock.now() >= endsAt || surroundings.isFinished?.() === true;
    for (let i = 0; i < cycles && !isOver(); i += 1) {
      await cycle();
      if (job.restMs !== undefined) await sleep(systemClock, job.restMs);
    }
  };
  await Promise.all(Array.from({ length: tasks }, task));
  await bedrock.close();
  await surroundings.body?.close();
  unfollow();
  recorder.tell({ kind: 'ended', resource });
}

/** Bounds on calls may be short, and a machine is busy while processes start: nothing is judged before this. */
async function served(bedrock: Bedrock): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await bedrock.ready();
    } catch (error) {
      if (tries === START_TRIES) throw error;
    }
  }
}

async function body(job: ContenderJob, lease: Lease, recorder: HistoryRecorder): Promise<void> {
  const { bodyMs = 0, sampleMs = Infinity, counterFile } = job;
  const [least, most] = typeof bodyMs === 'number' ? [bodyMs, bodyMs] : bodyMs;
  const count = counterFile === undefined ? 0 : Number(readFileSync(counterFile, 'utf8'));
  const endsAt = systemClock.now() + least + systemClock.random() * (most - least);
  recorder.see(lease);
  for (let restMs = endsAt - systemClock.now(); restMs > 0; restMs = endsAt - systemClock.now()) {
    await sleep(systemClock, Math.min(restMs, sampleMs));
    recorder.see(lease);
  }
  // A caller that has lost its lease must not write any more.
  if (counterFile !== undefined && lease.isHeld) writeFileSync(counterFile, String(count + 1));
}
