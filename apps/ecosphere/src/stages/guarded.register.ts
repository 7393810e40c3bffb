import { Redis } from 'ioredis';

/** Refuses a token that is smaller than one already seen. A holder without a token cannot be refused. */
const WRITE = `
local seen = tonumber(redis.call('HGET', KEYS[1], 'token') or '0')
local token = tonumber(ARGV[2])
if token and token < seen then return 0 end
redis.call('HSET', KEYS[1], 'value', ARGV[1], 'token', string.format('%.0f', token or seen))
redis.call('PEXPIRE', KEYS[1], 60000)
return 1`;

/** The protected resource: one value on the server, which checks fencing tokens. */
export class GuardedRegister {
  readonly #client: Redis;
  readonly #key: string;

  constructor(url: string, key: string) {
    this.#client = new Redis(url);
    this.#key = key;
  }

  /** @returns whether the write was accepted */
  async write(value: string, token: number | undefined): Promise<boolean> {
    return (await this.#client.eval(WRITE, 1, this.#key, value, token ?? '')) === 1;
  }

  async read(): Promise<string | null> {
    return this.#client.hget(this.#key, 'value');
  }

  async close(): Promise<void> {
    this.#client.disconnect();
  }
}
