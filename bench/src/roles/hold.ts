import type { Role } from './role.js';

export interface HoldOrder {
  readonly key: string;
}

/** Holds a lock until it is told to leave. */
export const hold: Role<HoldOrder, null> = async (lock, { key }, line) => {
  await lock.acquire(key);
  line.say('held');
  await line.hear();
  return null;
};
