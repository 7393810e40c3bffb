import { dutyOf, type AccountOf, type DutyName, type OrderOf } from './duties.js';
import { WorkerProcess } from './worker.process.js';

/**
 * Does a duty in as many processes as there are orders; a single one in this process. All begin when all are ready.
 * @param onProgress takes the sum of what has been done
 */
export async function runCrew<N extends DutyName>(
  duty: N,
  orders: readonly OrderOf<N>[],
  onProgress: (done: number) => void = () => undefined,
): Promise<AccountOf<N>[]> {
  let sum = 0;
  const add = (done: number): void => onProgress((sum += done));
  const [only] = orders;
  if (orders.length === 1) return [await workHere(duty, only!, add)];
  const workers = orders.map((order) => new WorkerProcess(duty, order, add));
  try {
    await Promise.all(workers.map((worker) => worker.ready()));
    return await Promise.all(workers.map((worker) => worker.work()));
  } finally {
    await Promise.all(workers.map((worker) => worker.end()));
  }
}

async function workHere<N extends DutyName>(
  name: N,
  order: OrderOf<N>,
  onProgress: (done: number) => void,
): Promise<AccountOf<N>> {
  const duty = await dutyOf(name);
  const ready = await duty(order);
  try {
    return await ready.work(onProgress);
  } finally {
    await ready.close();
  }
}
