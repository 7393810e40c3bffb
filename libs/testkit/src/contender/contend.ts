import { readFileSync, writeFileSync } from 'node:fs';
import { Bedrock, type Backend, type Clock, type Lease } from 'bedrock-lock';
import { sleep, systemClock } from 'bedrock-lock/integration';
import { HistoryRecorder } from '../history/history-recorder.js';
import type { HistoryEvent } from '../history/history-event.js';
import { JOB_DEFAULTS, type ContenderBody, type ContenderJob, type NapJob } from './contender-job.js';
import { acquisitionOf } from './acquisition.js';

/** Services that the process provides to its contender. */
export interface ContenderEnvironment {
  readonly backend: Backend;
  readonly label: string;
  write(event: HistoryEvent): void;
  readonly body?: ContenderBody | undefined;
  /** @default the system clock */
  readonly clock?: Clock | undefined;
  /** True once no more acquisitions are wanted. @default never */
  isFinished?(): boolean;
  /** Puts the machine to sleep. Omitted if several contenders share the machine. */
  nap?(ms: number): void;
  /** @param woken called after each sleep, with its duration in ms */
  onWake?(woken: (ms: number) => void): void;
  /** Ends the process at once; never settles. */
  crash(): Promise<never>;
}

/** Runs the job and closes; resolves when both are done. */
export async function contend(job: ContenderJob, environment: ContenderEnvironment): Promise<void> {
  const { backend, label, clock = systemClock } = environment;
  const { resource, resources = [resource], tasks = 1, forMs = Infinity, handOver = {} } = job;
  const { cycles = forMs < Infinity ? Infinity : 1 } = job;
  const bedrock = new Bedrock({ backend, clock, handOver, defaults: { ...JOB_DEFAULTS, ...job.lock } });
  const recorder = new HistoryRecorder(label, (event) => environment.write(event), clock);
  environment.onWake?.((sleptMs) => recorder.recordSleep(sleptMs));
  await bedrock.ready();
  const endsAt = clock.now() + forMs;
  const unfollow = recorder.follow(bedrock);
  if (job.naps !== undefined) void sleepRepeatedly(job.naps, environment, clock);
  const { counterFile: _, ...reading } = job;
  let held = 0;
  const cycle = async (): Promise<void> => {
    const resource = resources[Math.floor(clock.random() * resources.length)]!;
    const { waitMs, acquire, share, isReader = false } = acquisitionOf({ ...job, resource }, bedrock);
    const lease = await recorder.acquire(resource, waitMs, acquire, share);
    if (lease === undefined) return;
    held += 1;
    if (held === job.crashAt) await environment.crash();
    await environment.body?.work(lease);
    await body(isReader ? reading : job, lease, recorder, clock);
    await recorder.release(lease);
  };
  const task = async (): Promise<void> => {
    const isOver = (): boolean => clock.now() >= endsAt || environment.isFinished?.() === true;
    for (let i = 0; i < cycles && !isOver(); i += 1) {
      await cycle();
      if (job.restMs !== undefined) await sleep(clock, job.restMs);
    }
  };
  await Promise.all(Array.from({ length: tasks }, task));
  await bedrock.close();
  await environment.body?.close();
  unfollow();
  recorder.record({ kind: 'ended', resource });
}

async function sleepRepeatedly(
  { times, ms, everyMs }: NapJob,
  environment: ContenderEnvironment,
  clock: Clock,
): Promise<void> {
  if (environment.nap === undefined) throw new Error('naps are for processes of their own');
  const [least, most] = typeof ms === 'number' ? [ms, ms] : ms;
  for (let n = 0; n < times; n += 1) {
    await sleep(clock, everyMs);
    environment.nap(least + clock.random() * (most - least));
  }
}

async function body(job: ContenderJob, lease: Lease, recorder: HistoryRecorder, clock: Clock): Promise<void> {
  const { bodyMs = 0, sampleMs = Infinity, counterFile } = job;
  const [least, most] = typeof bodyMs === 'number' ? [bodyMs, bodyMs] : bodyMs;
  const count = counterFile === undefined ? 0 : Number(readFileSync(counterFile, 'utf8'));
  const endsAt = clock.now() + least + clock.random() * (most - least);
  recorder.observe(lease);
  for (let restMs = endsAt - clock.now(); restMs > 0; restMs = endsAt - clock.now()) {
    await sleep(clock, Math.min(restMs, sampleMs));
    recorder.observe(lease);
  }
  // A caller that has lost its lease must not write any more.
  if (counterFile !== undefined && lease.isHeld) writeFileSync(counterFile, String(count + 1));
}
