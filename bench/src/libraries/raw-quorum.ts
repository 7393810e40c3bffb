import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { endClients, openClients } from './client.js';
import type { OpenLockOptions, OpenLock } from './open-lock.js';
import { guardedVerbs, plainVerbs, scriptVerbs, type Grant, type Verbs } from './raw-verbs.js';

/** Decides on a grant from the answers of the servers. */
type Vote = (nodes: readonly Verbs[], ask: (node: Verbs) => Promise<number>) => Promise<boolean>;

/**
 * The hand-made version for several servers: asks all at once, lets the majority decide, does not wait for the rest,
 * and ignores elapsed time and restarts.
 */
export function openQuorum(options: OpenLockOptions): Promise<OpenLock<Grant>> {
  return openBy(majorityOf, options);
}

/** Asks all at once; all must grant. Shows the cost of a veto by every server. */
export function openUnanimous(options: OpenLockOptions): Promise<OpenLock<Grant>> {
  return openBy(allOf, options);
}

/** Asks one after the other; all must grant. Shows the cost of the ordered requests. */
export function openInTurn(options: OpenLockOptions): Promise<OpenLock<Grant>> {
  return openBy(oneByOne, options);
}

/** Unanimous, in the format of Redisson's RLock. Shows the cost of veto and format together. */
export function openUnanimousByScripts(options: OpenLockOptions): Promise<OpenLock<Grant>> {
  return openBy(allOf, options, scriptVerbs);
}

/** Unanimous, with the rules of the combination lock. Shows their cost without a library. */
export function openUnanimousAndGuarded(options: OpenLockOptions): Promise<OpenLock<Grant>> {
  return openBy(allOf, options, guardedVerbs);
}

async function openBy(
  vote: Vote,
  options: OpenLockOptions,
  verbsOf: (client: Redis) => Verbs | Promise<Verbs> = plainVerbs,
): Promise<OpenLock<Grant>> {
  const { leaseMs, pollMs, jitterMs } = options;
  const clients = await openClients(options);
  const nodes = await Promise.all(clients.map(verbsOf));
  const release = (grant: Grant): Promise<boolean> => majorityOf(nodes, (node) => node.release(grant));
  return {
    async acquire(key) {
      for (;;) {
        const grant = { key, id: randomUUID() };
        if (await vote(nodes, (node) => node.take(grant, leaseMs))) return grant;
        await release(grant);
        await sleep(pollMs + jitterMs * (2 * Math.random() - 1));
      }
    },
    release,
    close: () => endClients(clients),
  };
}

const allOf: Vote = async (nodes, ask) => (await Promise.all(nodes.map(ask))).every((one) => one === 1);

const oneByOne: Vote = async (nodes, ask) => {
  for (const node of nodes) if ((await ask(node)) !== 1) return false;
  return true;
};

/** True as soon as most say 1, false as soon as a majority is impossible. */
const majorityOf: Vote = (nodes, ask) => {
  const needed = Math.floor(nodes.length / 2) + 1;
  const answers = nodes.map(ask);
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
};
