import { SectionLog, sharedNowMs } from '../figures/section-log.js';
import { usageFromHere } from '../figures/usage.js';
import type { OpenLock } from '../libraries/open-lock.js';
import { turnOf } from './cycle.js';
import type { Role } from './role.js';

export interface ReadersOrder {
  readonly key: string;
  readonly tasks: number;
  /** One turn in this many writes; the others read. */
  readonly writeEvery: number;
  readonly bodyMs: number;
  readonly warmUpMs: number;
  readonly durationMs: number;
}

export interface ReadersAccount {
  readonly from: number;
  readonly until: number;
  /** As `SectionLog.pack()`; the task of a write is -1. */
  readonly sections: Float64Array;
  readonly commands: number;
}

const WRITE = -1;
const READ = 0;

/** Tasks of one of several processes that mostly read and sometimes write, all under one key. */
export const readers: Role<ReadersOrder, ReadersAccount> = async (lock, order, channel) => {
  await work(lock, { ...order, key: `${order.key}-${process.pid}`, durationMs: order.warmUpMs });
  await channel.ready();
  return work(lock, order);
};

async function work(lock: OpenLock, order: ReadersOrder): Promise<ReadersAccount> {
  const { key, tasks, writeEvery, bodyMs, durationMs } = order;
  const log = new SectionLog();
  const used = usageFromHere();
  const from = sharedNowMs();
  const until = from + durationMs;
  const bodyOf = (kind: number) => async (): Promise<void> => {
    const entered = sharedNowMs();
    await new Promise((resolve) => setTimeout(resolve, bodyMs));
    log.add(entered, entered, sharedNowMs(), kind);
  };
  const write = turnOf(lock, key, bodyOf(WRITE));
  const reading = bodyOf(READ);
  const read = lock.read === undefined ? turnOf(lock, key, reading) : () => lock.read!(key, reading);
  const task = async (offset: number): Promise<void> => {
    for (let turn = offset; sharedNowMs() < until; turn++) await (turn % writeEvery === 0 ? write() : read());
  };
  // Tasks write at different turns.
  await Promise.all(Array.from({ length: tasks }, (_, i) => task(1 + Math.floor((i * writeEvery) / tasks))));
  return { from, until, sections: log.pack(), commands: used().commands };
}
