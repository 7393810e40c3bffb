import type { Redis } from 'ioredis';
import { CLAIM, WITHDRAW, type Script } from '../../../../libs/lock/src/backends/redis/protocol/script.js';
import { published } from './published-messages.js';
import { RedisFixture } from './fixture.js';

export const [LOCK, QUEUE, ASKS] = ['lock', 'bedrock_order:{lock}', 'bedrock_asks:{lock}'] as const;
export const KEYS = [LOCK, QUEUE, ASKS];
const WITH_TOKENS = ['bedrock_token', ...KEYS];
export const NEVER_STALE = 9_999_999_999_999;

/** The scripts of a mutex, on a server of their own, by hand. */
export class MutexScripts {
  readonly fixture = new RedisFixture();

  get db(): Redis {
    return this.fixture.observer;
  }

  run(script: Script, keys: readonly string[], ...args: readonly (string | number)[]) {
    return this.db.eval(script.source, keys.length, ...keys, ...args);
  }

  /** One claim; the answer without the server's time. */
  async claim(id: string, { lease = 10_000, notAfter = NEVER_STALE, tokens = 0, queue = 1 } = {}) {
    const args = [id, lease, notAfter, tokens, queue, 1];
    const reply = (await this.run(CLAIM, WITH_TOKENS, ...args)) as unknown[];
    return reply[1];
  }

  withdraw(id: string, { keepMs = 0, leave = 0 } = {}) {
    return this.run(WITHDRAW, WITH_TOKENS, id, keepMs, leave);
  }

  async serverNow(): Promise<number> {
    const [seconds, micros] = await this.db.time();
    return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
  }

  /** Puts a process in the queue whose last sign is `ageMs` old. */
  async standInLine(process: string, ageMs = 0): Promise<void> {
    await this.db.rpush(QUEUE, process);
    await this.db.hset(ASKS, process, (await this.serverNow()) - ageMs);
  }

  /** The messages published while `act` runs, on all channels, in order. */
  published(act: () => Promise<unknown>): Promise<string[]> {
    return published(this.fixture.server.port, act);
  }
}
