import { notificationsSoFar } from '../figures/notifications.js';
import { SectionLog, sharedNowMs } from '../figures/section-log.js';
import { usageFromHere } from '../figures/usage.js';
import type { OpenLock } from '../libraries/open-lock.js';
import { cycleOf, turnOf } from './cycle.js';
import type { Role } from './role.js';

export interface TeamOrder {
  readonly key: string;
  readonly tasks: number;
  /** Each task opens the library for itself, as if it were a separate process. @default false */
  readonly isApart?: boolean;
  readonly bodyMs: number;
  readonly warmUpCycles: number;
  readonly warmUpMs: number;
  readonly durationMs: number;
}

export interface TeamAccount {
  /** The measured time, in shared ms. */
  readonly from: number;
  readonly until: number;
  /** As `SectionLog.pack()`. */
  readonly sections: Float64Array;
  /** When each waiting task had begun to wait at the end of the time; Infinity for the other tasks. */
  readonly waitingSince: readonly number[];
  readonly failures: number;
  readonly commands: number;
  /** Watch events of ZooKeeper; echoes report a session's own deletions. */
  readonly notifications: number;
  readonly echoes: number;
}

/** Tasks of one of several processes that compete for one key, with work under the lock. */
export const team: Role<TeamOrder, TeamAccount> = async (lock, order, channel, reopen) => {
  const others = Array.from({ length: order.tasks - 1 }, () =>
    order.isApart === true ? reopen({}) : Promise.resolve(lock),
  );
  const locks = [lock, ...(await Promise.all(others))];
  await Promise.all(
    [...new Set(locks)].map((one, i) => warmUp(one, `${order.key}-${process.pid}-${i}`, order)),
  );
  channel.send('warm');
  await channel.receive();
  await compete(locks, { ...order, key: `${order.key}-warm`, durationMs: order.warmUpMs });
  await channel.ready();
  return compete(locks, order);
};

async function warmUp(lock: OpenLock, key: string, { warmUpCycles }: TeamOrder): Promise<void> {
  const own = cycleOf(lock, key);
  for (let i = 0; i < warmUpCycles; i++) await own();
}

/** Counts until the time is over; then every task leaves after its turn. */
async function compete(locks: readonly OpenLock[], order: TeamOrder): Promise<TeamAccount> {
  const { key, tasks, bodyMs, durationMs } = order;
  const log = new SectionLog();
  const waitingSince = new Array<number>(tasks).fill(Infinity);
  let failures = 0;
  let isOver = false;
  let account: TeamAccount | undefined;
  const used = usageFromHere();
  const before = notificationsSoFar();
  const from = sharedNowMs();
  setTimeout(() => {
    isOver = true;
    account = {
      from,
      until: sharedNowMs(),
      sections: log.pack(),
      waitingSince: [...waitingSince],
      failures,
      commands: used().commands,
      notifications: notificationsSoFar().heard - before.heard,
      echoes: notificationsSoFar().echoed - before.echoed,
    };
  }, durationMs);
  const work = async (task: number): Promise<void> => {
    const turn = turnOf(locks[task]!, key, async () => {
      const entered = sharedNowMs();
      const asked = waitingSince[task]!;
      waitingSince[task] = Infinity;
      await new Promise((resolve) => setTimeout(resolve, bodyMs));
      log.add(asked, entered, sharedNowMs(), task);
    });
    while (!isOver) {
      waitingSince[task] = sharedNowMs();
      try {
        await turn();
      } catch {
        failures += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: tasks }, (_, task) => work(task)));
  return account!;
}
