import { accountsOf } from '../contender/run-contenders.js';
import { count, decimals } from '../report/numbers.js';
import type { GateAccount, GateOrder } from '../roles/gate.js';
import type { Scenario } from './scenario.js';
import { assignmentOf } from './assignment.js';

const WAITERS = 1_000;

export const latch: Scenario = {
  name: 'latch',
  title: `Latch: ${WAITERS.toLocaleString('en-US')} callers of one process wait until another connection counts it down`,
  short: '1,000 at a latch: commands',
  libraries: ['bedrock-latch'],
  rounds: 2,
  compared: 'commands',
  better: 'less',
  async turn(library, servers) {
    const order: GateOrder = { key: servers.freshKey(), waiters: WAITERS };
    const [account] = await accountsOf<GateAccount>([assignmentOf('gate', library, servers, order)]);
    return { ...account! };
  },
  columns: [
    { figure: 'commands', head: 'commands', show: count },
    { figure: 'openedMs', head: 'until the last waiter returns, ms', show: decimals(1) },
  ],
  targets: [{ library: 'bedrock-latch', figure: 'commands', atMost: 5 }],
};
