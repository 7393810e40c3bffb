import { accountsOf, withContenders } from '../contender/run-contenders.js';
import type { LibraryName } from '../libraries/catalogue.js';
import { count, decimals } from '../report/numbers.js';
import type { OutageAccount, OutageOrder } from '../roles/outage.js';
import type { SequentialAccount, SequentialOrder } from '../roles/sequential.js';
import { onNodes } from './on-nodes.js';
import type { Column, Scenario, Target } from './scenario.js';
import { assignmentOf } from './assignment.js';

const OWN: readonly LibraryName[] = ['raw', 'bedrock', 'bedrock-sequential', 'bedrock-majority'];
/** Includes the bare cost of Bedrock's rules: the lower bound here. */
const MEASURED: readonly LibraryName[] = [
  'raw',
  'raw-unanimous',
  'raw-scripts',
  'raw-guarded',
  'raw-in-turn',
  ...OWN.slice(1),
];

const columns: readonly Column[] = [
  { figure: 'p50Us', head: 'cycle p50, µs', show: decimals(0) },
  { figure: 'p99Us', head: 'p99, µs', show: decimals(0) },
  { figure: 'commandsPerCycle', head: 'commands per cycle', show: decimals(1) },
];

const targets: readonly Target[] = [
  { library: 'bedrock', figure: 'ratioToRaw', atMost: 1.35 },
  { library: 'bedrock-sequential', figure: 'ratioToRaw', atMost: 2.5 },
];

function cyclesOn(nodes: number): Scenario['turn'] {
  return (library, benchServers) =>
    onNodes(nodes, async (urls) => {
      const order: SequentialOrder = { key: benchServers.freshKey(), warmUpCycles: 8_000, cycles: 2_000 };
      const assignment = assignmentOf('sequential', library, benchServers, order, { nodes: urls });
      const [account] = await accountsOf<SequentialAccount>([assignment]);
      return { ...account! };
    });
}

export const s8: Scenario = {
  name: 'S8',
  title:
    'Three independent nodes: one process, one task, one key; raw asks all nodes at once and waits for two',
  short: 'three nodes: time',
  libraries: [...MEASURED, 'redlock-4', 'redlock-5', 'sesamecare-redlock'],
  rounds: 5,
  compared: 'p50Us',
  better: 'less',
  turn: cyclesOn(3),
  columns,
  targets,
};

export const s8Five: Scenario = {
  ...s8,
  name: 'S8-5',
  title: 'The same on five nodes; raw waits for three',
  short: 'five nodes: time',
  libraries: MEASURED,
  turn: cyclesOn(5),
};

export const s8Faults: Scenario = {
  name: 'S8-faults',
  title: 'Three nodes: one hangs (SIGSTOP), then dies (SIGKILL); measured once the clients have noticed',
  short: 'a node hangs: time',
  libraries: OWN,
  rounds: 2,
  compared: 'hungUs',
  better: 'less',
  worst: ['longestMs'],
  turn: (library, benchServers) =>
    onNodes(3, async (urls, servers) => {
      const order: OutageOrder = { key: benchServers.freshKey(), warmUpCycles: 8_000, cycles: 1_500 };
      const assignment = assignmentOf('outage', library, benchServers, order, { nodes: urls });
      const harm = [() => undefined, () => servers[1]!.pause(), () => servers[1]!.kill('SIGKILL')];
      return withContenders<OutageAccount, Record<string, number>>([assignment], async ([one]) => {
        for (const harmOne of harm) {
          await one!.receive();
          harmOne();
          one!.send('go');
        }
        const { p50Us, longestMs } = await one!.account();
        const [healthyUs, hungUs, deadUs] = p50Us as [number, number, number];
        const [ofHung, ofDead] = [hungUs / healthyUs, deadUs / healthyUs];
        return { healthyUs, hungUs, deadUs, ofHung, ofDead, longestMs };
      });
    }),
  columns: [
    { figure: 'healthyUs', head: 'all up: p50, µs', show: decimals(0) },
    { figure: 'hungUs', head: 'one hangs, µs', show: decimals(0) },
    { figure: 'ofHung', head: '× all up', show: decimals(2) },
    { figure: 'deadUs', head: 'one is dead, µs', show: decimals(0) },
    { figure: 'ofDead', head: '× all up', show: decimals(2) },
    { figure: 'longestMs', head: 'longest cycle, ms', show: count },
  ],
  targets: [
    { library: 'bedrock', figure: 'ofHung', atMost: 1.15 },
    { library: 'bedrock', figure: 'ofDead', atMost: 1.15 },
    // The longest call: attemptTimeoutMs and two time-outs of a node, for the lock and for its release.
    { library: 'bedrock', figure: 'longestMs', atMost: 700 },
  ],
};
