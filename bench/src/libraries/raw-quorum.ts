import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { endClients, openClients } from './client.js';
import type { LockTerms, OpenLock } from './open-lock.js';

const RELEASE = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`;

export interface Grant {
  readonly key: string;
  readonly id: string;
}

/** Whether a grant is one, from what every server is asked. */
type Vote = (clients: readonly Redis[], ask: (client: Redis) => Promise<number>) => Promise<boolean>;

/**
 * The same on several servers, as it is written by hand: all are asked at once, the majority decides, nobody waits for the
 * rest, and neither time nor restarts are looked at.
 */
export function openQuorum(terms: LockTerms): Promise<OpenLock<Grant>> {
  return openBy(majorityOf, terms);
}

/** All are asked at once, and a grant is what all of them have granted: what a veto of every server costs by itself. */
export function openUnanimous(terms: LockTerms): Promise<OpenLock<Grant>> {
  return openBy(
    async (clients, ask) => (await Promise.all(clients.map(ask))).every((one) => one === 1),
    terms,
  );
}

/** One is asked after the other, and all must grant: what the order of the seed costs by itself. */
export function openInTurn(terms: LockTerms): Promise<OpenLock<Grant>> {
  return openBy(async (clients, ask) => {
    for (const client of clients) if ((await ask(client)) !== 1) return false;
    return true;
  }, terms);
}

async function openBy(vote: Vote, terms: LockTerms): Promise<OpenLock<Grant>> {
  const { leaseMs, pollMs, jitterMs } = terms;
  const clients = await openClients(terms);
  for (const client of clients) client.defineCommand('benchRelease', { numberOfKeys: 1, lua: RELEASE });
  const release = ({ key, id }: Grant): Promise<boolean> =>
    majorityOf(clients, (client) =>
      (client as unknown as { benchRelease(key: string, id: string): Promise<number> }).benchRelease(key, id),
    );
  return {
    async acquire(key) {
      for (;;) {
        const grant = { key, id: randomUUID() };
        if (await vote(clients, (client) => take(client, grant, leaseMs))) return grant;
        await release(grant);
        await sleep(pollMs + jitterMs * (2 * Math.random() - 1));
      }
    },
    release,
    close: () => endClients(clients),
  };
}

async function take(client: Redis, { key, id }: Grant, leaseMs: number): Promise<number> {
  return (await client.set(key, id, 'PX', leaseMs, 'NX')) === null ? 0 : 1;
}

/** True as soon as most say 1, false as soon as they cannot any more. */
function majorityOf(clients: readonly Redis[], ask: (client: Redis) => Promise<number>): Promise<boolean> {
  const needed = Math.floor(clients.length / 2) + 1;
  const answers = clients.map(ask);
  let [yes, no] = [0, 0];
  return new Promise((resolve) => {
    const count = (answer: number): void => {
      if (answer === 1) yes += 1;
      else no += 1;
      if (yes === needed) resolve(true);
      else if (no > answers.length - needed) resolve(false);
    };
    for (const answer of answers) answer.then(count, () => count(0));
  });
}
