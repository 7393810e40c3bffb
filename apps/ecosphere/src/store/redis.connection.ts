import { Redis } from 'ioredis';
import { clearTimeout, setImmediate, setTimeout } from 'node:timers';
import { reasonOf } from '../report/reason-of.js';
import { ServerError } from '../server/server.error.js';

/** A connection for the data of the application; the locks have their own. */
export class RedisConnection {
  readonly client: Redis;
  #trouble: unknown;

  /** @param boundMs longest wait for a reply; without it, as long as the connection stands */
  constructor(
    url: string,
    private readonly boundMs = Infinity,
  ) {
    this.client = new Redis(url, { maxRetriesPerRequest: 1 });
    // Without a listener ioredis would print each failed connection.
    this.client.on('error', (error) => (this.#trouble = error));
    this.client.on('ready', () => (this.#trouble = undefined));
  }

  /**
   * Waits for a reply. The client only reports that it gave up; the reason is in the event before.
   * @throws ServerError
   */
  async answer<T>(call: Promise<T>): Promise<T> {
    try {
      return await (this.boundMs === Infinity ? call : within(this.boundMs, call));
    } catch (error) {
      const cause = this.#trouble ?? error;
      throw new ServerError(`Redis no longer answers: ${reasonOf(cause)}`, { cause });
    }
  }

  close(): void {
    this.client.disconnect();
  }
}

/**
 * Gives up after `ms`, but only once arrived data has been read: a process that stalled must not take that for the
 * silence of the server.
 */
function within<T>(ms: number, call: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(new Error(`no reply in ${ms} ms`));
    const timer = setTimeout(() => setImmediate(giveUp), ms);
    void call.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
