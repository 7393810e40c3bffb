import type { NumberStore } from '../store/number.store.js';
import { RedisNumberStore } from '../store/redis.number.store.js';
import type { Ground } from './ground.js';

/** The number store of a ground. The one of Redis has a connection: close it with {@link withNumber}, or let Nest. */
export function openNumbers(ground: Ground): NumberStore {
  return ground.kind === 'memory' ? ground.memory.numbers : new RedisNumberStore(ground.url, ground.prefix);
}

/** Sets a number, lets `work` go on with the store, and removes it. */
export async function withNumber<T>(
  ground: Ground,
  [name, value]: readonly [name: string, value: number],
  work: (numbers: NumberStore) => Promise<T>,
): Promise<T> {
  const numbers = openNumbers(ground);
  try {
    await numbers.write(name, value);
    return await work(numbers);
  } finally {
    // What cannot be removed goes away by itself; the reason why `work` failed must not be hidden.
    await numbers.remove(name).catch(() => undefined);
    if (numbers instanceof RedisNumberStore) numbers.onModuleDestroy();
  }
}
