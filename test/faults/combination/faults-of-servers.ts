import { during, type Fault } from './fault.js';
import { delay } from './delay.js';
import type { Node } from './deployment.js';
import { LEASE_MS } from './settings.js';

const AWAY_MS = 150;

const crash = (targets: readonly Node[]): Promise<unknown> =>
  Promise.all(targets.map((node) => node.crash(AWAY_MS)));

const freeze = (targets: readonly Node[], ms: number): Promise<void> =>
  during(
    targets,
    ms,
    (node) => node.server.pause(),
    (node) => node.server.resume(),
  );

/** Processes of Redis that die and come back, or stand still. */
export const SERVER_FAULTS: readonly Fault[] = [
  {
    name: 'kill -9, back empty',
    losesData: true,
    async inject({ targets }) {
      await crash(targets);
    },
  },
  {
    name: 'kill -9, back with its AOF',
    args: ['--appendonly', 'yes', '--appendfsync', 'always'],
    losesData: true,
    async inject({ targets }) {
      await crash(targets);
    },
  },
  {
    name: 'kill -9, back with an old snapshot',
    losesData: true,
    async inject({ targets, random }) {
      await Promise.all(targets.map((node) => node.command('SAVE')));
      await delay(random.between(50, 400));
      await crash(targets);
    },
  },
  {
    name: 'SIGSTOP for half a lease',
    inject: ({ targets }) => freeze(targets, LEASE_MS / 2),
  },
  {
    name: 'SIGSTOP for two leases',
    inject: ({ targets }) => freeze(targets, 2 * LEASE_MS),
  },
];
