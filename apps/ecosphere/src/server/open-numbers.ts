import type { NumberStore } from '../store/number.store.js';
import { RedisNumberStore } from '../store/redis.number.store.js';
import type { RunServers } from './run-servers.js';

/**
 * The number store of the servers. That of Redis has a connection: close it with {@link withNumber}, or let Nest close
 * it.
 */
export function openNumbers(servers: RunServers): NumberStore {
  return servers.kind === 'memory'
    ? servers.memory.numbers
    : new RedisNumberStore(servers.url, servers.prefix);
}

/** Sets a number, runs `work` with the store, and removes the number. */
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
    // An unremoved number expires by itself; this failure must not hide that of `work`.
    await numbers.remove(name).catch(() => undefined);
    if (numbers instanceof RedisNumberStore) numbers.onModuleDestroy();
  }
}
