import { accountsOf, withContenders } from '../contender/run-contenders.js';
import { PEERS } from '../libraries/catalogue.js';
import { count, decimals } from '../report/numbers.js';
import type { HoldOrder } from '../roles/hold.js';
import type { WaitAccount, WaitOrder } from '../roles/wait.js';
import type { Figures, Scenario } from './scenario.js';
import { assignmentOf } from './assignment.js';

const WAITERS = 1_000;
/** A lease longer than a turn, so that no library has to renew. */
const options = { leaseMs: 30_000 };

export const s7: Scenario = {
  name: 'S7',
  title: `${WAITERS.toLocaleString('en-US')} callers of one process wait for a lock that another process holds`,
  short: '1,000 waiters: commands/s',
  libraries: ['raw', 'bedrock', ...PEERS],
  rounds: 2,
  compared: 'commandsPerS',
  better: 'less',
  async turn(library, servers) {
    const key = servers.freshKey();
    const holding: HoldOrder = { key };
    const waiting: WaitOrder = { key, waiters: WAITERS, settleMs: 700, durationMs: 2_000 };
    const holder = assignmentOf('hold', library, servers, holding, options);
    return withContenders<null, Figures>([holder], async ([contender]) => {
      await contender!.receive();
      const waiter = assignmentOf('wait', library, servers, waiting, options);
      const [account] = await accountsOf<WaitAccount>([waiter]);
      contender!.send('leave');
      return { ...account! };
    });
  },
  columns: [
    { figure: 'commandsPerS', head: 'commands/s', show: count },
    { figure: 'cpuPercent', head: 'CPU, %', show: decimals(1) },
    { figure: 'waiting', head: 'still waiting', show: count },
  ],
  targets: [
    { library: 'bedrock', figure: 'commandsPerS', atMost: 3 },
    { library: 'bedrock', figure: 'cpuPercent', atMost: 2 },
  ],
};
