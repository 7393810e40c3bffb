import { Redis } from 'ioredis';
import { countCommandsOf } from '../figures/commands.js';

countCommandsOf(Redis.prototype);

/** A connected client of ioredis 6, with the client's own defaults: what raw and most libraries are used with. */
export async function openClient(url: string): Promise<Redis> {
  const client = new Redis(url, { lazyConnect: true });
  // What a command meets is its caller's; a client that is closed under its waiters would print the rest.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
