import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { Bedrock } from 'bedrock-lock';
import { redis } from 'bedrock-lock/redis';
import { startRedis, type RunningServer } from 'bedrock-servers';
import { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';

/** A Redis, an application that uses locks on it, and a lock of each test that the command line uses too. */
export class LocksFixture {
  #server: RunningServer | undefined;
  #application: Bedrock | undefined;
  #client: Redis | undefined;
  /** The name of the lock. */
  resource = '';

  /** To be made where the tests are registered. */
  constructor() {
    beforeAll(async () => {
      this.#server = await startRedis();
      this.#client = new Redis(this.server.url);
      this.#application = new Bedrock({ backend: redis({ url: this.server.url, label: 'the application' }) });
    }, 60_000);
    afterAll(async () => {
      await this.#application?.close({ graceMs: 0 });
      this.#client?.disconnect();
      await this.#server?.stop();
    });
    beforeEach(() => {
      this.resource = `cli:${randomUUID()}`;
    });
  }

  get server(): RunningServer {
    return this.#server!;
  }

  get application(): Bedrock {
    return this.#application!;
  }

  /** For keys that no lock has. */
  get client(): Redis {
    return this.#client!;
  }

  /** Says where the locks are. */
  get environment(): { readonly BEDROCK_URL: string } {
    return { BEDROCK_URL: this.server.url };
  }

  /** Arguments of `run`. */
  run(options: readonly string[], ...command: string[]): string[] {
    return ['run', '--url', this.server.url, ...options, this.resource, '--', ...command];
  }

  async isFree(): Promise<boolean> {
    const lease = await this.application.mutex(this.resource).tryAcquire();
    await lease?.release();
    return lease !== null;
  }

  /** Whether a process is in the queue of the lock. */
  async isWaitedFor(): Promise<boolean> {
    return (await this.client.exists(`bedrock_order:{${this.resource}}`)) === 1;
  }

  /** Scripts that the server has run: each look at a lock runs some. */
  async scriptsRun(): Promise<number> {
    const [, calls = '0'] =
      /^cmdstat_evalsha:calls=(\d+)/m.exec(await this.client.info('commandstats')) ?? [];
    return Number(calls);
  }
}
