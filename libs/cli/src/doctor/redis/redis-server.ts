import { Redis } from 'ioredis';

/** One Redis or Valkey server, and what it says about itself. */
export class RedisServer {
  private constructor(
    /** `host:port` */
    readonly name: string,
    readonly url: string,
    private readonly client: Redis,
    /** The fields of INFO by their names; empty if this user may not ask. */
    readonly info: ReadonlyMap<string, string>,
  ) {}

  /** @throws Error without the URL, which may have a password */
  static async connect(url: string, timeoutMs: number): Promise<RedisServer> {
    const client = new Redis(url.replace(/^valkey/i, 'redis'), {
      lazyConnect: true,
      enableReadyCheck: false,
      retryStrategy: () => null,
      maxRetriesPerRequest: 0,
      connectTimeout: timeoutMs,
      commandTimeout: timeoutMs,
    });
    // Without a listener, ioredis writes each failure to the console.
    let failure: Error | undefined;
    client.on('error', (error) => (failure ??= error));
    try {
      await client.connect();
      // A wrong password shows here.
      await client.ping().catch((error: Error) => {
        if (!/^NOPERM/.test(error.message)) throw error;
      });
      const { host = '127.0.0.1', port = 6_379 } = client.options;
      return new RedisServer(`${host}:${port}`, url, client, await readInfo(client));
    } catch (error) {
      client.disconnect();
      throw failure ?? error;
    }
  }

  call(command: string, ...args: readonly (string | number)[]): Promise<unknown> {
    return this.client.call(command, [...args]);
  }

  /** What the command answers; undefined if the server refuses it, for want of a right or because it does not know it. */
  async callIfAllowed(command: string, ...args: readonly (string | number)[]): Promise<unknown> {
    try {
      return await this.call(command, ...args);
    } catch (error) {
      if (isRefusal(error)) return undefined;
      throw error;
    }
  }

  /** Its wall clock, in ms since 1970; undefined if this user may not ask. */
  async now(): Promise<number | undefined> {
    const time = (await this.callIfAllowed('time')) as readonly [string, string] | undefined;
    return time && Number(time[0]) * 1_000 + Number(time[1]) / 1_000;
  }

  /** A field of INFO that is a number. */
  number(field: string): number | undefined {
    const text = this.info.get(field);
    return text === undefined ? undefined : Number(text);
  }

  disconnect(): void {
    this.client.disconnect();
  }
}

async function readInfo(client: Redis): Promise<ReadonlyMap<string, string>> {
  try {
    const texts = [await client.info(), await client.info('commandstats')];
    return new Map(
      texts.flatMap((text) =>
        [...text.matchAll(/^([\w|-]+):(.*?)\r?$/gm)].map(([, name, value]) => [name!, value!] as const),
      ),
    );
  } catch (error) {
    if (isRefusal(error)) return new Map();
    throw error;
  }
}

/** An answer of the server, and not the lack of one. */
export function isRefusal(error: unknown): boolean {
  return (error as Error).name === 'ReplyError';
}
