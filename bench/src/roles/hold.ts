import type { Role } from './role.js';

export interface HoldOrder {
  readonly key: string;
}

/** Holds a lock until the bench ends it. */
export const hold: Role<HoldOrder, null> = async (lock, { key }, channel) => {
  await lock.acquire(key);
  channel.send('held');
  await channel.receive();
  return null;
};
