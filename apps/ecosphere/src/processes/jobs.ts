import type { ProcessJob } from './process-job.js';

/** Every job by its name. Each is loaded where it runs: the victim of a crash test needs no Nest. */
const JOBS = {
  'flash-sale': async () => (await import('../flash-sale/sale.job.js')).saleJob,
  contention: async () => (await import('../contention/contention.job.js')).contentionJob,
  victim: async () => (await import('../stages/victim.job.js')).victimJob,
};

type JobFunctions = { [N in keyof typeof JOBS]: Awaited<ReturnType<(typeof JOBS)[N]>> };
export type JobName = keyof JobFunctions;
export type InputOf<N extends JobName> = Parameters<JobFunctions[N]>[0];
export type ResultOf<N extends JobName> = JobFunctions[N] extends ProcessJob<never, infer R> ? R : never;

export async function jobOf<N extends JobName>(name: N): Promise<ProcessJob<InputOf<N>, ResultOf<N>>> {
  return (await JOBS[name]()) as unknown as ProcessJob<InputOf<N>, ResultOf<N>>;
}
