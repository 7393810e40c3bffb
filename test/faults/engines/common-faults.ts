import { delay } from '../combination/delay.js';
import type { Fault } from './fault.js';
import { allShort } from './jobs.js';
import { CALM, LEASE_MS, SESSION_MS } from './settings.js';

const AWAY_MS = 200;

/** By turns back at once, and after leases have ended. */
export const KILLED: Fault = {
  name: 'server killed, back with its data',
  variants: 2,
  async inject({ server, round }) {
    server.kill('SIGKILL');
    await delay(round % 2 === 0 ? AWAY_MS : LEASE_MS * 1.4);
    await server.restart();
  },
};

/** By turns for so long that leases end and sessions do not, and for longer than a session. */
export const FROZEN: Fault = {
  name: 'server frozen beyond leases, and beyond sessions',
  variants: 2,
  brings: 'losses or failures',
  async inject({ server, round }) {
    server.pause();
    await delay(round % 2 === 0 ? LEASE_MS * 1.4 : SESSION_MS * 1.4);
    server.resume();
  },
};

/** Requests are executed, and the answer is cut off. */
export const CUT: Fault = {
  name: 'connections cut in the middle of calls',
  jobs: allShort,
  async inject({ proxy }) {
    if (proxy.connections === 0) throw new Error('nobody is behind the proxy');
    for (const ms of [20, 150, 350]) {
      proxy.dropReplies();
      await delay(ms);
      proxy.cut();
      proxy.dropReplies(false);
      await delay(ms);
    }
  },
};

/** Neither requests nor answers get through, for so long that every lease ends. */
export const SILENT: Fault = {
  name: 'network silent for two leases',
  brings: 'losses or failures',
  async inject({ proxy }) {
    const silence = (isSilent: boolean): void => {
      proxy.dropRequests(isSilent);
      proxy.dropReplies(isSilent);
    };
    silence(true);
    await delay(LEASE_MS * 2);
    proxy.cut();
    silence(false);
  },
};

/** Others go on meanwhile. */
export const STOPPED: Fault = {
  name: 'holder stopped beyond its lease and its session',
  brings: 'losses',
  async inject({ pool, holder }) {
    holder.signal('SIGSTOP');
    try {
      await delay(SESSION_MS * 1.4);
      await pool.waitForAll(holder);
    } finally {
      holder.signal('SIGCONT');
    }
  },
};

/**
 * An hour ahead, two back, and to the true time. Linux tells a step from a sleep of the machine; elsewhere, a step
 * ahead gives up the locks held.
 */
export const STEPPED: Fault = {
  name: 'clock of the holder stepped by an hour, ahead and back',
  ...CALM,
  brings: process.platform === 'linux' ? 'waits at most' : 'losses',
  async inject({ pool, holder }) {
    for (let i = 0; i < 3; i += 1) {
      holder.signal('SIGUSR2');
      await pool.waitForLock(holder);
    }
  },
};

/** Of an ensemble, what hits its leader. */
export const LEADER_FAULTS: readonly Fault[] = [
  { ...KILLED, name: 'leader of three killed, back with its data' },
  { ...FROZEN, brings: 'anything', name: 'leader of three frozen beyond leases, and beyond sessions' },
];

export const COMMON_FAULTS: readonly Fault[] = [KILLED, FROZEN, CUT, SILENT, STOPPED, STEPPED];
