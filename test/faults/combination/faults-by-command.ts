import { during, type Fault } from './fault.js';
import { pass } from './pass.js';
import { USER, type Node } from './site.js';

const HARM_MS = 400;

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
    strike: ({ victims }) => once(victims, (node) => node.command('FLUSHALL')),
  },
  {
    name: 'SCRIPT FLUSH',
    strike: ({ victims }) => once(victims, (node) => node.command('SCRIPT', 'FLUSH')),
  },
  {
    name: 'CLIENT KILL',
    strike: ({ victims }) =>
      once(victims, async (node) => {
        for (const type of ['normal', 'pubsub']) await node.command('CLIENT', 'KILL', 'TYPE', type);
      }),
  },
  {
    name: 'CLIENT PAUSE',
    strike: ({ victims, strikes }) =>
      during(
        victims,
        HARM_MS,
        (node) => node.command('CLIENT', 'PAUSE', HARM_MS, strikes % 2 === 0 ? 'ALL' : 'WRITE'),
        (node) => node.command('CLIENT', 'UNPAUSE'),
      ),
  },
  {
    name: 'DEBUG SLEEP',
    strike: ({ victims }) => once(victims, (node) => node.command('DEBUG', 'SLEEP', HARM_MS / 1_000)),
  },
  {
    name: 'out of memory',
    strike: ({ victims }) =>
      during(
        victims,
        HARM_MS,
        (node) => node.command('CONFIG', 'SET', 'maxmemory', 1),
        (node) => node.command('CONFIG', 'SET', 'maxmemory', 0),
      ),
  },
  {
    name: 'REPLICAOF an unreachable host',
    strike: ({ victims }) =>
      during(
        victims,
        HARM_MS,
        // Nobody listens on port 1.
        (node) => node.command('REPLICAOF', '127.0.0.1', 1),
        (node) => node.command('REPLICAOF', 'NO', 'ONE'),
      ),
  },
  {
    name: 'REPLICAOF another node',
    losesData: true,
    strike: ({ site, victims }) => {
      const primary = site.nodes.find((node) => !victims.includes(node))!;
      return during(
        victims,
        HARM_MS,
        (node) => node.command('REPLICAOF', '127.0.0.1', primary.server.port),
        (node) => node.command('REPLICAOF', 'NO', 'ONE'),
      );
    },
  },
  {
    name: 'rights revoked',
    strike: ({ victims, strikes }) =>
      during(victims, HARM_MS, REVOCATIONS[strikes % REVOCATIONS.length]!, (node) => node.permit()),
  },
];

async function once(victims: readonly Node[], act: (node: Node) => Promise<unknown>): Promise<void> {
  await Promise.all(victims.map(act));
  await pass(HARM_MS / 4);
}
