import type { Role } from './role.js';

export interface HoldOrder {
  readonly key: string;
}

/** Holds a lock until it is told to leave. */
export const hold: Role<HoldOrder, null> = async (lock, { key }, channel) => {
  await lock.acquire(key);
  channel.send('held');
  await channel.receive();
  return null;
};
