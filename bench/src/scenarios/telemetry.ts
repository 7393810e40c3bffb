import { accountsOf } from '../contender/run-contenders.js';
import { decimals } from '../report/numbers.js';
import type { SequentialAccount, SequentialOrder } from '../roles/sequential.js';
import type { Scenario } from './scenario.js';
import { assignmentOf } from './assignment.js';

/** CPU that metrics may add to a cycle, in µs. */
const MOST_US = 6;

export const telemetry: Scenario = {
  name: 'telemetry',
  title: 'Telemetry: one task, one key, in memory, where the CPU of a cycle is that of the library alone',
  short: 'telemetry: CPU',
  libraries: [
    'bedrock-memory',
    'bedrock-prometheus',
    'bedrock-producer',
    'bedrock-metrics',
    'bedrock-spans-off',
    'bedrock-spans',
  ],
  rounds: 9,
  rawOf: () => 'bedrock-memory',
  compared: 'cpuUsPerCycle',
  better: 'less',
  relative: { figure: 'moreCpuUs', to: 'bedrock-memory', by: 'difference' },
  async turn(library, servers) {
    const order: SequentialOrder = { key: servers.freshKey(), warmUpCycles: 60_000, cycles: 60_000 };
    const [account] = await accountsOf<SequentialAccount>([
      assignmentOf('sequential', library, servers, order),
    ]);
    return { ...account! };
  },
  columns: [
    { figure: 'cpuUsPerCycle', head: 'CPU per cycle, µs', show: decimals(1) },
    { figure: 'moreCpuUs', head: 'more than without, µs', show: decimals(1) },
    { figure: 'p50Us', head: 'cycle p50, µs', show: decimals(1) },
  ],
  targets: (['bedrock-prometheus', 'bedrock-producer'] as const).map((library) => ({
    library,
    figure: 'moreCpuUs',
    atMost: MOST_US,
  })),
};
