import { during, type Fault } from './fault.js';
import { delay } from './delay.js';
import { USER, type Node } from './deployment.js';

const FAULT_MS = 400;

/** Ways to take the rights of the locks' user away. */
const REVOCATIONS: readonly ((node: Node) => Promise<unknown>)[] = [
  (node) => node.command('ACL', 'SETUSER', USER, '-@all'),
  async (node) => {
    await node.command('ACL', 'SETUSER', USER, 'off');
    await node.command('CLIENT', 'KILL', 'USER', USER);
  },
  async (node) => {
    await node.command('ACL', 'SETUSER', USER, 'resetpass', '>another');
    await node.command('CLIENT', 'KILL', 'USER', USER);
  },
];

/** What an operator can do to a Redis that runs. */
export const COMMAND_FAULTS: readonly Fault[] = [
  {
    name: 'FLUSHALL',
    losesData: true,
    inject: ({ targets }) => once(targets, (node) => node.command('FLUSHALL')),
  },
  {
    name: 'SCRIPT FLUSH',
    inject: ({ targets }) => once(targets, (node) => node.command('SCRIPT', 'FLUSH')),
  },
  {
    name: 'CLIENT KILL',
    inject: ({ targets }) =>
      once(targets, async (node) => {
        for (const type of ['normal', 'pubsub']) await node.command('CLIENT', 'KILL', 'TYPE', type);
      }),
  },
  {
    name: 'CLIENT PAUSE',
    inject: ({ targets, round }) =>
      during(
        targets,
        FAULT_MS,
        (node) => node.command('CLIENT', 'PAUSE', FAULT_MS, round % 2 === 0 ? 'ALL' : 'WRITE'),
        (node) => node.command('CLIENT', 'UNPAUSE'),
      ),
  },
  {
    name: 'DEBUG SLEEP',
    inject: ({ targets }) => once(targets, (node) => node.command('DEBUG', 'SLEEP', FAULT_MS / 1_000)),
  },
  {
    name: 'out of memory',
    inject: ({ targets }) =>
      during(
        targets,
        FAULT_MS,
        (node) => node.command('CONFIG', 'SET', 'maxmemory', 1),
        (node) => node.command('CONFIG', 'SET', 'maxmemory', 0),
      ),
  },
  {
    name: 'REPLICAOF an unreachable host',
    inject: ({ targets }) =>
      during(
        targets,
        FAULT_MS,
        // No server listens on port 1.
        (node) => node.command('REPLICAOF', '127.0.0.1', 1),
        (node) => node.command('REPLICAOF', 'NO', 'ONE'),
      ),
  },
  {
    name: 'REPLICAOF another node',
    losesData: true,
    inject: ({ deployment, targets }) => {
      const primary = deployment.nodes.find((node) => !targets.includes(node))!;
      return during(
        targets,
        FAULT_MS,
        (node) => node.command('REPLICAOF', '127.0.0.1', primary.server.port),
        (node) => node.command('REPLICAOF', 'NO', 'ONE'),
      );
    },
  },
  {
    name: 'rights revoked',
    inject: ({ targets, round }) =>
      during(targets, FAULT_MS, REVOCATIONS[round % REVOCATIONS.length]!, (node) => node.permit()),
  },
];

async function once(targets: readonly Node[], act: (node: Node) => Promise<unknown>): Promise<void> {
  await Promise.all(targets.map(act));
  await delay(FAULT_MS / 4);
}
