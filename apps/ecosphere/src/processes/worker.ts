import { reasonOf } from '../report/reason-of.js';
import { jobOf, type JobName } from './jobs.js';
import type { ReadyJob } from './process-job.js';
import type { FromWorker, ToWorker } from './messages.js';

/** Entry of a child process: one job, from the input to the result. */
const TELL_EVERY_MS = 50;

let ready: ReadyJob<unknown> | undefined;

process.on('message', (message: ToWorker) => {
  act(message).catch((error: unknown) => tell({ kind: 'failed', reason: reasonOf(error) }));
});
// Without its parent, no process waits for the result or ends this one.
process.on('disconnect', () => process.exit(1));
// Ctrl-C reaches the whole group; the parent ends the workers in order.
process.on('SIGINT', () => undefined);

async function act(message: ToWorker): Promise<void> {
  switch (message.kind) {
    case 'start': {
      const job = await jobOf(message.job as JobName);
      ready = await job(message.input as never);
      return tell({ kind: 'ready', notice: ready.notice });
    }
    case 'go': {
      const result = await ready!.work(countProgress);
      tellProgress();
      return tell({ kind: 'result', result });
    }
    case 'leave':
      await ready?.close();
      process.exit(0);
  }
}

let pending = 0;
let toldAt = -Infinity;

/**
 * Reports progress in portions: a message per purchase would cost more than the purchase. The first is reported at
 * once.
 */
function countProgress(done: number): void {
  pending += done;
  if (performance.now() - toldAt >= TELL_EVERY_MS) tellProgress();
}

function tellProgress(): void {
  tell({ kind: 'progress', done: pending });
  pending = 0;
  toldAt = performance.now();
}

function tell(message: FromWorker): void {
  process.send?.(message);
}
