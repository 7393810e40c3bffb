import { Redis } from 'ioredis';
import type { OpenLockOptions } from './open-lock.js';
import { countCommandsOf } from '../figures/commands.js';

countCommandsOf(Redis.prototype);

/** A connected client for each server of the lock: ioredis 6 with its defaults, as raw and most libraries use it. */
export function openClients({ url, nodes = [url] }: OpenLockOptions): Promise<Redis[]> {
  return Promise.all(nodes.map(openClient));
}

/** Ends the clients, even if their servers do not answer. */
export async function endClients(clients: readonly Redis[]): Promise<void> {
  for (const client of clients) client.disconnect();
}

export async function openClient(url: string): Promise<Redis> {
  const client = new Redis(url, { lazyConnect: true });
  // Commands report their own errors; a client closed before its waiters would print the rest.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
