import type { Redis } from 'ioredis';
import {
  LEASE_SEMAPHORE_CLAIM,
  LEASE_SEMAPHORE_INSPECT,
  LEASE_SEMAPHORE_RENEW,
  LEASE_SEMAPHORE_REVOKE,
  LEASE_SEMAPHORE_WITHDRAW,
  type Script,
} from '../../../../libs/lock/src/backends/redis/protocol/script.js';
import { published } from './published-messages.js';
import { RedisFixture } from './fixture.js';

export const [UNITS, QUEUE, ASKS, ENDS] = [
  'bedrock_units:{pool}',
  'bedrock_units_order:{pool}',
  'bedrock_units_asks:{pool}',
  'bedrock_units_ends:{pool}',
] as const;
const KEYS = [UNITS, QUEUE, ASKS, ENDS];
export const NEVER_STALE = 9_999_999_999_999;

/** What a claim says of itself. */
export interface ClaimOptions {
  readonly lease?: number;
  /** Permits that there are, as the claim states it. */
  readonly of?: number;
  readonly notAfter?: number;
  /** 1 joins the queue, 2 takes a grant without asking again. */
  readonly queue?: 0 | 1 | 2;
}

/** The keys of a semaphore of another name. */
export function keysOf(name: string): string[] {
  return KEYS.map((key) => key.replace('pool', name));
}

/** The scripts of a semaphore of 4 permits, on a server of their own, by hand. */
export class SemaphoreScripts {
  readonly fixture = new RedisFixture();

  get db(): Redis {
    return this.fixture.observer;
  }

  run(script: Script, keys: readonly string[], ...args: readonly (string | number)[]): Promise<unknown> {
    return this.db.eval(script.source, keys.length, ...keys, ...args);
  }

  /** Several claims or withdrawals in one call. */
  runItems(script: Script, keys: readonly string[], ...args: readonly (string | number)[]) {
    return this.run(script, ['bedrock_token', ...keys], ...args) as Promise<unknown[]>;
  }

  /** One claim; the answer without the server's time. */
  async claim(
    id: string,
    units = 1,
    { lease = 10_000, of = 4, notAfter = NEVER_STALE, queue = 1 }: ClaimOptions = {},
  ): Promise<unknown> {
    const args = [id, lease, notAfter, `${units} ${of}`, queue, 1];
    const [, answer] = await this.runItems(LEASE_SEMAPHORE_CLAIM, KEYS, ...args);
    return answer;
  }

  withdraw(id: string, { keepMs = 0, leave = 0 } = {}): Promise<unknown> {
    return this.runItems(LEASE_SEMAPHORE_WITHDRAW, KEYS, id, keepMs, leave);
  }

  async renew(id: string, life: number): Promise<unknown> {
    const [answer] = (await this.run(LEASE_SEMAPHORE_RENEW, KEYS, id, life)) as unknown[];
    return answer;
  }

  inspect(): Promise<unknown> {
    return this.run(LEASE_SEMAPHORE_INSPECT, KEYS);
  }

  revoke(how: 'now' | 'atExpiry'): Promise<unknown> {
    return this.run(LEASE_SEMAPHORE_REVOKE, KEYS, how);
  }

  /** Permits by claim, and their sum. */
  held(): Promise<Record<string, string>> {
    return this.db.hgetall(UNITS);
  }

  queue(): Promise<string[]> {
    return this.db.lrange(QUEUE, 0, -1);
  }

  async now(): Promise<number> {
    const [seconds, micros] = await this.db.time();
    return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
  }

  /** Puts a process in the queue whose last sign is `ageMs` old. */
  async enqueue(process: string, { ageMs = 0, ask = '' } = {}): Promise<void> {
    await this.db.rpush(QUEUE, process);
    await this.db.hset(ASKS, process, `${(await this.now()) - ageMs}${ask}`);
  }

  /** Lets the lease of a claim end by the server's clock, as if its time were over. */
  async end(id: string): Promise<void> {
    await this.db.zadd(ENDS, (await this.now()) - 1, id);
  }

  /** The messages published while `act` runs. */
  published(act: () => Promise<unknown>): Promise<string[]> {
    return published(this.fixture.server.port, act);
  }
}
