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

/**
 * The same on several servers, as it is written by hand: all are asked at once, the majority decides, nobody waits for the
 * rest, and neither time nor restarts are looked at.
 */
export async function openQuorum(terms: LockTerms): Promise<OpenLock<Grant>> {
  const { leaseMs, pollMs, jitterMs } = terms;
  const clients = await openClients(terms);
  for (const client of clients) client.defineCommand('benchRelease', { numberOfKeys: 1, lua: RELEASE });
  const releasers = clients as unknown as { benchRelease(key: string, id: string): Promise<number> }[];
  const needed = Math.floor(clients.length / 2) + 1;
  const release = ({ key, id }: Grant): Promise<boolean> =>
    majority(
      releasers.map((client) => client.benchRelease(key, id)),
      needed,
    );
  return {
    async acquire(key) {
      for (;;) {
        const grant = { key, id: randomUUID() };
        if (
          await majority(
            clients.map((client) => take(client, grant, leaseMs)),
            needed,
          )
        )
          return grant;
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

/** True as soon as so many say 1, false as soon as they cannot any more. */
function majority(answers: readonly Promise<number>[], needed: number): Promise<boolean> {
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
