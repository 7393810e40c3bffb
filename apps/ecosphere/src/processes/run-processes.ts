import { jobOf, type ResultOf, type JobName, type InputOf } from './jobs.js';
import { WorkerProcess } from './worker.process.js';

/**
 * Runs a job in one process per input; a single input runs in this process. All begin once all are ready.
 * @param onProgress takes the total number of items done
 */
export async function runProcesses<N extends JobName>(
  job: N,
  inputs: readonly InputOf<N>[],
  onProgress: (done: number) => void = () => undefined,
): Promise<ResultOf<N>[]> {
  let sum = 0;
  const add = (done: number): void => onProgress((sum += done));
  const [only] = inputs;
  if (inputs.length === 1) return [await runHere(job, only!, add)];
  const workers = inputs.map((input) => new WorkerProcess(job, input, add));
  try {
    await Promise.all(workers.map((worker) => worker.ready()));
    return await Promise.all(workers.map((worker) => worker.work()));
  } finally {
    await Promise.all(workers.map((worker) => worker.end()));
  }
}

async function runHere<N extends JobName>(
  name: N,
  input: InputOf<N>,
  onProgress: (done: number) => void,
): Promise<ResultOf<N>> {
  const job = await jobOf(name);
  const ready = await job(input);
  try {
    return await ready.work(onProgress);
  } finally {
    await ready.close();
  }
}
