import { jobOf, type ResultOf, type JobName, type InputOf } from './jobs.js';
import { WorkerProcess } from './worker.process.js';

/** Hooks of the caller that starts a job. */
export interface ProcessHooks {
  /** Takes the total number of items done. */
  readonly onProgress?: (done: number) => void;
  /** Takes the notices of the processes, before they begin. */
  readonly onReady?: (notices: readonly string[]) => void;
  /** Runs after the work, while the processes still live. */
  readonly beforeEnd?: () => Promise<void>;
}

/** Runs a job in one process per input; a single input runs in this process. All begin once all are ready. */
export async function runProcesses<N extends JobName>(
  job: N,
  inputs: readonly InputOf<N>[],
  hooks: ProcessHooks = {},
): Promise<ResultOf<N>[]> {
  const {
    onProgress = () => undefined,
    onReady = () => undefined,
    beforeEnd = async () => undefined,
  } = hooks;
  let sum = 0;
  const add = (done: number): void => onProgress((sum += done));
  const [only] = inputs;
  if (inputs.length === 1) return [await runHere(job, only!, { onProgress: add, onReady, beforeEnd })];
  const workers = inputs.map((input) => new WorkerProcess(job, input, add));
  try {
    const notices = await Promise.all(workers.map((worker) => worker.ready()));
    onReady(notices.filter((notice) => notice !== undefined));
    const results = await Promise.all(workers.map((worker) => worker.work()));
    await beforeEnd();
    return results;
  } finally {
    await Promise.all(workers.map((worker) => worker.end()));
  }
}

async function runHere<N extends JobName>(
  name: N,
  input: InputOf<N>,
  { onProgress, onReady, beforeEnd }: Required<ProcessHooks>,
): Promise<ResultOf<N>> {
  const job = await jobOf(name);
  const ready = await job(input);
  try {
    if (ready.notice !== undefined) onReady([ready.notice]);
    const result = await ready.work(onProgress);
    await beforeEnd();
    return result;
  } finally {
    await ready.close();
  }
}
