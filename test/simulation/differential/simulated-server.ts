import { MiniRedis } from '../node/mini-redis.js';
import { Refusal, Status, type Reply } from '../node/reply.js';
import type { ScriptCall } from './random-calls.js';
import { SHORT_MS } from './short.js';

/** The simulated server, at the instants at which the real one has executed the same. */
export class SimulatedServer {
  readonly heard: string[] = [];
  readonly #listened = new Set<string>();
  /** Epoch ms, with the fraction. */
  now = 0;
  readonly #redis = new MiniRedis(() => this.now, {
    count: (channel) => (this.#listened.has(channel) ? 1 : 0),
    publish: (channel, message) => this.heard.push(`${channel} ${message}`),
  });

  ask({ source, keys, argv }: ScriptCall): unknown {
    return plain(this.#redis.execute(['EVAL', source, String(keys.length), ...keys, ...argv]));
  }

  /** The real server has taken time from its keys: those with little left are gone. */
  shortened(): void {
    const { db } = this.#redis;
    db.began = db.now = Math.floor(this.now);
    for (const key of db.keys()) if (db.endOf(key)! - db.now < SHORT_MS) db.remove(key);
  }

  listen(channel: string, does: boolean): void {
    if (does) this.#listened.add(channel);
    else this.#listened.delete(channel);
  }
}

function plain(reply: Reply): unknown {
  if (reply instanceof Refusal) return `error ${reply.text}`;
  if (reply instanceof Status) return reply.text;
  return Array.isArray(reply) ? reply.map(plain) : reply;
}
