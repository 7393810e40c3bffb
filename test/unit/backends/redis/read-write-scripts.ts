import { Redis } from 'ioredis';
import { eventually } from 'bedrock-testkit';
import {
  RW_ANNOTATE,
  RW_CLAIM,
  RW_INSPECT,
  RW_RENEW,
  RW_REVOKE,
  RW_WITHDRAW,
  type Script,
} from '../../../../libs/lock/src/backends/redis/protocol/script.js';
import { RedisFixture } from './fixture.js';

export const LOCK = 'rw';
export const QUEUE = 'bedrock_order:{rw}';
export const ASKS = 'bedrock_asks:{rw}';
const KEYS = [LOCK, QUEUE, ASKS];
const WITH_TOKENS = ['bedrock_token', ...KEYS];
const NEVER_STALE = 9_999_999_999_999;

/** One script, as in Redisson: a round trip between PTTL and PEXPIRE would lengthen the life of the hash. */
const READ_AS_REDISSON = `
redis.call('HSET', KEYS[1], 'mode', 'read', ARGV[1], #ARGV - 1)
local longest = 0
for i = 2, #ARGV do
  redis.call('SET', KEYS[i], '1', 'PX', ARGV[i])
  longest = math.max(longest, tonumber(ARGV[i]))
end
redis.call('PEXPIRE', KEYS[1], math.max(redis.call('PTTL', KEYS[1]), longest))`;

/** What a claim says of itself. */
export interface ClaimOptions {
  readonly lease?: number;
  readonly notAfter?: number;
  readonly tokens?: number;
  /** 1 joins the queue, 2 takes a grant without asking again. */
  readonly queue?: number;
}

/** The scripts of a read-write lock, on a server of their own, by hand. */
export class ReadWriteScripts {
  readonly fixture = new RedisFixture();
  readonly #redissonClients: Redis[] = [];

  get db(): Redis {
    return this.fixture.observer;
  }

  run(script: Script, keys: readonly string[], ...args: readonly (string | number)[]): Promise<unknown> {
    return this.db.eval(script.source, keys.length, ...keys, ...args);
  }

  /** One claim; the answer without the server's time. A writer's id ends in `:write`. */
  async claim(
    id: string,
    { lease = 10_000, notAfter = NEVER_STALE, tokens = 0, queue: place = 1 }: ClaimOptions = {},
  ): Promise<unknown> {
    const reply = await this.run(RW_CLAIM, WITH_TOKENS, id, lease, notAfter, tokens, place, 1);
    return (reply as unknown[])[1];
  }

  /** Insists on the grant. */
  async grant(id: string, terms: ClaimOptions = {}): Promise<void> {
    const answer = await this.claim(id, terms);
    if (typeof answer !== 'number' || answer < 0)
      throw new Error(`${id} was not granted: ${JSON.stringify(answer)}`);
  }

  withdraw(id: string, { keepMs = 0, leave = 0 } = {}): Promise<unknown> {
    return this.run(RW_WITHDRAW, WITH_TOKENS, id, keepMs, leave);
  }

  async renew(id: string, life = 10_000): Promise<unknown> {
    return ((await this.run(RW_RENEW, KEYS, id, life)) as unknown[])[0];
  }

  async annotate(id: string, depth: number): Promise<unknown> {
    return ((await this.run(RW_ANNOTATE, [LOCK], id, depth)) as unknown[])[0];
  }

  inspect(): Promise<unknown> {
    return this.run(RW_INSPECT, [LOCK]);
  }

  revoke(how: 'now' | 'atExpiry'): Promise<unknown> {
    return this.run(RW_REVOKE, KEYS, how);
  }

  /** When the key ends, epoch ms: Redis 7 and newer tell. */
  async endOf(key: string): Promise<number> {
    return Number(await this.db.call('pexpiretime', key));
  }

  /** The string that says how long a reader lives. */
  hold(id: string, depth = 1): string {
    return `{rw}:${id}:rwlock_timeout:${depth}`;
  }

  /** Resolves when the life of a reader is over. */
  ended(id: string): Promise<void> {
    return eventually(`the end of ${id}`, async () => (await this.db.exists(this.hold(id))) === 0);
  }

  /** A client of Redisson waits. */
  async waitAsRedisson(): Promise<void> {
    const java = new Redis(this.fixture.server.port);
    this.#redissonClients.push(java);
    await java.subscribe('redisson_rwlock:{rw}');
  }

  async clean(): Promise<void> {
    for (const java of this.#redissonClients.splice(0)) java.disconnect();
    await this.fixture.clean();
  }

  hash(): Promise<Record<string, string>> {
    return this.db.hgetall(LOCK);
  }

  async serverNow(): Promise<number> {
    const [seconds, micros] = await this.db.time();
    return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
  }

  queue(): Promise<string[]> {
    return this.db.lrange(QUEUE, 0, -1);
  }

  /** Puts a process in the queue whose last sign is `ageMs` old; `ask` is what it may be granted. */
  async enqueue(process: string, ageMs = 0, ask = ''): Promise<void> {
    await this.db.rpush(QUEUE, process);
    await this.db.hset(ASKS, process, `${(await this.serverNow()) - ageMs}${ask}`);
  }

  /** What Redisson writes for a reader that holds so often. */
  async readAsRedisson(holder: string, lives: readonly number[]): Promise<void> {
    const holds = lives.map((_, i) => this.hold(holder, i + 1));
    await this.db.eval(READ_AS_REDISSON, 1 + lives.length, LOCK, ...holds, holder, ...lives);
  }

  /** The messages published while `act` runs, on all channels, in order. */
  async published(act: () => Promise<unknown>): Promise<string[]> {
    const heard: string[] = [];
    const subscriber = new Redis(this.fixture.server.port);
    subscriber.on('pmessage', (_pattern, channel, message) => heard.push(`${channel} ${message}`));
    await subscriber.psubscribe('*');
    await act();
    const end = new Promise((resolve) => subscriber.on('message', resolve));
    await subscriber.subscribe('end');
    await this.db.publish('end', '');
    await end;
    subscriber.disconnect();
    return heard.filter((message) => !message.startsWith('end'));
  }

  /** Keys that are left, in order. */
  async keys(): Promise<string[]> {
    return (await this.db.keys('*')).sort();
  }
}
