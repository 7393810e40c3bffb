import { Redis } from 'ioredis';
import type { OpenLockOptions } from './open-lock.js';
import { countCommandsOf } from '../figures/commands.js';

countCommandsOf(Redis.prototype);

/** A connected client of ioredis 6, with the client's own defaults: what raw and most libraries are used with. */
/** A client for each server that the lock is on. */
export function openClients({ url, nodes = [url] }: OpenLockOptions): Promise<Redis[]> {
  return Promise.all(nodes.map(openClient));
}

/** Ends them, also those whose server does not answer. */
export async function endClients(clients: readonly Redis[]): Promise<void> {
  for (const client of clients) client.disconnect();
}

export async function openClient(url: string): Promise<Redis> {
  const client = new Redis(url, { lazyConnect: true });
  // What a command meets is its caller's; a client that is closed under its waiters would print the rest.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
