import { during, type Fault } from './fault.js';
import { pass } from './pass.js';
import type { Node } from './site.js';
import { LEASE_MS } from './terms.js';

const AWAY_MS = 150;

const crash = (victims: readonly Node[]): Promise<unknown> =>
  Promise.all(victims.map((node) => node.crash(AWAY_MS)));

const freeze = (victims: readonly Node[], ms: number): Promise<void> =>
  during(
    victims,
    ms,
    (node) => node.server.pause(),
    (node) => node.server.resume(),
  );

/** Processes of Redis that die and come back, or stand still. */
export const SERVER_FAULTS: readonly Fault[] = [
  {
    name: 'kill -9, back empty',
    losesData: true,
    async strike({ victims }) {
      await crash(victims);
    },
  },
  {
    name: 'kill -9, back with its AOF',
    args: ['--appendonly', 'yes', '--appendfsync', 'always'],
    losesData: true,
    async strike({ victims }) {
      await crash(victims);
    },
  },
  {
    name: 'kill -9, back with an old snapshot',
    losesData: true,
    async strike({ victims, dice }) {
      await Promise.all(victims.map((node) => node.command('SAVE')));
      await pass(dice.between(50, 400));
      await crash(victims);
    },
  },
  {
    name: 'SIGSTOP for half a lease',
    strike: ({ victims }) => freeze(victims, LEASE_MS / 2),
  },
  {
    name: 'SIGSTOP for two leases',
    strike: ({ victims }) => freeze(victims, 2 * LEASE_MS),
  },
];
