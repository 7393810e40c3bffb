import { reasonOf } from '../report/reason-of.js';
import { dutyOf, type DutyName } from './duties.js';
import type { ReadyDuty } from './duty.js';
import type { FromWorker, ToWorker } from './messages.js';

/** Entry of a child process: one duty, from the order to the account. */
const TELL_EVERY_MS = 50;

let ready: ReadyDuty<unknown> | undefined;

process.on('message', (message: ToWorker) => {
  act(message).catch((error: unknown) => tell({ kind: 'failed', reason: reasonOf(error) }));
});
// Without its parent nobody waits for the account, and nobody would end this process.
process.on('disconnect', () => process.exit(1));
// Ctrl-C reaches the whole group; the parent ends the workers in order.
process.on('SIGINT', () => undefined);

async function act(message: ToWorker): Promise<void> {
  switch (message.kind) {
    case 'order': {
      const duty = await dutyOf(message.duty as DutyName);
      ready = await duty(message.order as never);
      return tell({ kind: 'ready' });
    }
    case 'go': {
      const account = await ready!.work(countProgress);
      tellProgress();
      return tell({ kind: 'account', account });
    }
    case 'leave':
      await ready?.close();
      process.exit(0);
  }
}

let pending = 0;
let toldAt = -Infinity;

/** Progress in portions: a message per purchase would cost more than the purchase. The first is told at once. */
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
