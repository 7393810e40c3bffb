import type { NumberStore } from '../store/number.store.js';
import { RedisNumberStore } from '../store/redis.number.store.js';
import type { RunServers } from './run-servers.js';

/** The number store of the servers. The one of Redis has a connection: close it with {@link withNumber}, or let Nest. */
export function openNumbers(servers: RunServers): NumberStore {
  return servers.kind === 'memory'
    ? servers.memory.numbers
    : new RedisNumberStore(servers.url, servers.prefix);
}

/** Sets a number, lets `work` go on with the store, and removes it. */
export async function withNumber<T>(
  servers: RunServers,
  [name, value]: readonly [name: string, value: number],
  work: (numbers: NumberStore) => Promise<T>,
): Promise<T> {
  const numbers = openNumbers(servers);
  try {
    await numbers.write(name, value);
    return await work(numbers);
  } finally {
    // What cannot be removed goes away by itself; the reason why `work` failed must not be hidden.
    await numbers.remove(name).catch(() => undefined);
    if (numbers instanceof RedisNumberStore) numbers.onModuleDestroy();
  }
}
