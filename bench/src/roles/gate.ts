import { usageFromHere } from '../figures/usage.js';
import type { Role } from './role.js';

export interface GateOrder {
  readonly key: string;
  readonly waiters: number;
}

export interface GateAccount {
  /** From opening the gate until the last waiter is through. */
  readonly openedMs: number;
  /** Sent by the process of the waiters, from their arrival on; excludes the command that opens the gate. */
  readonly commands: number;
}

/** Many callers of one process wait at a closed gate, which another connection opens. */
export const gate: Role<GateOrder, GateAccount> = async (lock, { key, waiters }, channel, reopen) => {
  const keeper = await reopen({});
  const pass = async (name: string): Promise<GateAccount> => {
    await keeper.shut!(name);
    const used = usageFromHere();
    const all = Promise.all(Array.from({ length: waiters }, () => lock.pass!(name)));
    // Until all have sent their requests and subscribed.
    await new Promise((resolve) => setTimeout(resolve, 300));
    const waiting = used().commands;
    const from = performance.now();
    await keeper.open!(name);
    await all;
    // One of these commands opened the gate.
    return { openedMs: performance.now() - from, commands: Math.max(waiting, used().commands - 1) };
  };
  await pass(`${key}-warm`);
  await channel.ready();
  return pass(key);
};
