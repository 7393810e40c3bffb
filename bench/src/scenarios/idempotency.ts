import { accountsOf } from '../contender/run-contenders.js';
import { count, decimals } from '../report/numbers.js';
import type { RepeatAccount, RepeatOrder } from '../roles/repeat.js';
import type { Scenario } from './scenario.js';
import { assignmentOf } from './assignment.js';

const CALLERS = 64;

export const idempotency: Scenario = {
  name: 'idempotency',
  title: `Idempotency in Nest: sequential first requests, then ${CALLERS} callers repeat them`,
  short: 'repeated requests: replays/s',
  libraries: ['handler-alone', 'bedrock-idempotent', 'bedrock-idempotent-method', 'node-idempotency'],
  rounds: 3,
  rawOf: () => 'handler-alone',
  compared: 'replaysPerS',
  better: 'more',
  worst: ['runsTooMany'],
  relative: { figure: 'ofNodeIdempotency', to: 'node-idempotency' },
  async turn(library, servers) {
    const order: RepeatOrder = {
      key: servers.freshKey(),
      firsts: 1_000,
      callers: CALLERS,
      durationMs: 1_500,
    };
    const [account] = await accountsOf<RepeatAccount>([assignmentOf('repeat', library, servers, order)]);
    return { ...account! };
  },
  columns: [
    { figure: 'firstUs', head: 'first request p50, µs', show: decimals(0) },
    { figure: 'commandsPerFirst', head: 'commands', show: decimals(2) },
    { figure: 'replaysPerS', head: 'replays/s', show: count },
    { figure: 'commandsPerReplay', head: 'commands', show: decimals(2) },
    { figure: 'cpuUsPerReplay', head: 'CPU per replay, µs', show: decimals(0) },
    { figure: 'ofNodeIdempotency', head: '× @node-idempotency/nestjs', show: decimals(2) },
    { figure: 'runsTooMany', head: 'extra runs', show: count },
  ],
  targets: (['bedrock-idempotent', 'bedrock-idempotent-method'] as const).flatMap((library) => [
    { library, figure: 'commandsPerFirst', atMost: 2 },
    { library, figure: 'commandsPerReplay', atMost: 1 },
    { library, figure: 'replaysPerS', atLeast: 5_000 },
    { library, figure: 'runsTooMany', atMost: 0 },
  ]),
};
