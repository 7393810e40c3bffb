import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Bedrock, type LockOptions } from 'bedrock-lock';
import { redis, type RedisOptions } from 'bedrock-lock/redis';
import { startRedis, type RunningServer } from 'bedrock-servers';
import { Redis } from 'ioredis';
import { eventually } from 'bedrock-testkit';
import { JavaProcess } from './java-process.js';
import { JavaThread } from './java-thread.js';

/** The newest of each line. Both are compiled from the same sources. */
export const VERSIONS = ['3.52.0', '4.7.0'] as const;
/** The first run of a machine downloads Redisson, and Maven if need be. */
export const OPEN_WITHIN_MS = 400_000;
/** Lease of Java locks that are taken without one: short, since some tests wait for its end. */
export const WATCHDOG_MS = 1_500;
/** So long that no lease explains a hand-over. */
export const LONG_MS = 30_000;
/** What a waiter needs to ask once more after it has subscribed. */
const SETTLE_MS = 20;

/** The time, and all keys that match: each with its end and its value. Not the marks of finished releases. */
const STATE = `
  local read = {
    string = { 'GET' }, hash = { 'HGETALL' }, set = { 'SMEMBERS' }, list = { 'LRANGE', 0, -1 }, zset = { 'ZRANGE', 0, -1, 'WITHSCORES' },
  }
  local keys = {}
  for _, key in ipairs(redis.call('KEYS', ARGV[1])) do
    if not string.find(key, '^redisson_unlock_latch') then
      local command, from, to, how = unpack(read[redis.call('TYPE', key).ok] or { 'TYPE' })
      local value = how and redis.call(command, key, from, to, how) or to and redis.call(command, key, from, to)
      keys[#keys + 1] = { key, redis.call('PTTL', key), value or redis.call(command, key) }
    end
  end
  return cjson.encode({ time = redis.call('TIME'), keys = keys })`;

/** A Redis of its own, one JVM, and what the tests make on either side. */
export class Site {
  readonly #bedrocks: Bedrock[] = [];
  readonly #javas: JavaProcess[] = [];
  #threads = 0;

  private constructor(
    private readonly version: string,
    readonly server: RunningServer,
    /** Reads the data of Redis. */
    readonly admin: Redis,
  ) {}

  static async open(version: string, watchdogMs = WATCHDOG_MS): Promise<Site> {
    const server = await startRedis();
    const site = new Site(version, server, new Redis(server.url));
    try {
      await site.java(watchdogMs);
      return site;
    } catch (error) {
      await site.close();
      throw error;
    }
  }

  /** One more JVM; the first one is there already. */
  async java(watchdogMs = WATCHDOG_MS, version = this.version): Promise<JavaProcess> {
    const java = await JavaProcess.start({ version, url: this.server.url, watchdogMs });
    this.#javas.push(java);
    return java;
  }

  /** A new thread, of the first JVM unless another is given. */
  thread(java = this.#javas[0]!): JavaThread {
    return new JavaThread(java, `t${++this.#threads}`);
  }

  async bedrock(defaults: LockOptions = {}, options: Partial<RedisOptions> = {}): Promise<Bedrock> {
    const bedrock = new Bedrock({
      backend: redis({ url: this.server.url, ...options }),
      defaults: { leaseMs: LONG_MS, waitMs: LONG_MS, ...defaults },
    });
    this.#bedrocks.push(bedrock);
    await bedrock.ready();
    return bedrock;
  }

  freshName(): string {
    return `interop:${randomUUID()}`;
  }

  /** The channels of this lock that have subscribers. */
  async channels(name: string): Promise<{ readonly channel: string; readonly subscribers: number }[]> {
    const all = (await this.admin.pubsub('CHANNELS', 'redisson*')) as string[];
    const names = all.filter((channel) => channel.includes(name));
    if (names.length === 0) return [];
    const counts = (await this.admin.pubsub('NUMSUB', ...names)) as number[];
    return names.map((channel, i) => ({ channel, subscribers: counts[2 * i + 1]! }));
  }

  /**
   * Resolves when so many processes wait for it: have subscribed to a channel of it and have asked once more. Callers, where
   * the lock is fair: each of them has a place in its line.
   */
  async someoneWaits(name: string, waiters = 1): Promise<void> {
    await eventually(`${waiters} wait for ${name}`, async () => {
      const [channels, line] = await Promise.all([this.channels(name), this.line(name)]);
      return line.length === waiters || channels.some(({ subscribers }) => subscribers === waiters);
    });
    await sleep(SETTLE_MS);
  }

  /** The waiters in the queue of a fair lock, by the ids of Redisson and of Bedrock. */
  line(name: string): Promise<string[]> {
    return this.admin.lrange(`redisson_lock_queue:${name.includes('{') ? name : `{${name}}`}`, 0, -1);
  }

  /** What Redis has of a lock, at one moment. For the message of a test that waits in vain. */
  async stateOf(name: string): Promise<object> {
    const [state, scripts, channels] = await Promise.all([
      this.admin.eval(STATE, 0, `*${name}*`),
      this.scriptsRun(),
      this.channels(name),
    ]);
    return { ...(JSON.parse(state as string) as object), scripts, channels };
  }

  /** How many scripts Redis has run: a busy loop runs one per request. */
  async scriptsRun(): Promise<number> {
    const stats = await this.admin.info('commandstats');
    const calls = Array.from(stats.matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+)/gm), ([, count]) =>
      Number(count),
    );
    return calls.reduce((sum, count) => sum + count, 0);
  }

  /** Closes what one test has made on the Node side. */
  async clean(): Promise<void> {
    await Promise.all(this.#bedrocks.splice(0).map((bedrock) => bedrock.close({ graceMs: 0 })));
  }

  async close(): Promise<void> {
    await this.clean();
    await Promise.all(this.#javas.map((java) => java.halt()));
    this.admin.disconnect();
    await this.server.stop();
  }
}
