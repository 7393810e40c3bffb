import { Bedrock, type Backend, type BedrockOptions } from 'bedrock-lock';
import type { Claim, Verdict } from 'bedrock-lock/backend';
import { zookeeper, type ZooKeeperOptions } from 'bedrock-lock/zookeeper';
import { startProxy, startZooKeeper, type RunningServer, type TcpProxy } from 'bedrock-servers';
import { claimOf as plainClaimOf } from 'bedrock-testkit';
import { randomUUID } from 'node:crypto';
import { OPERATION_TIMEOUT_MS } from '../../../../contract/times.js';
import { Admin } from './admin.js';

/** A server of its own, an observer that looks at it, and backends that are closed after each test. */
export class ZooKeeperFixture {
  server!: RunningServer;
  admin!: Admin;
  readonly #closing: (() => Promise<unknown>)[] = [];

  async start(...args: Parameters<typeof startZooKeeper>): Promise<void> {
    this.server = await startZooKeeper(...args);
    this.admin = await Admin.connect(this.connect);
  }

  async stop(): Promise<void> {
    await this.admin.close();
    await this.server.stop();
  }

  get connect(): string {
    return `127.0.0.1:${this.server.port}`;
  }

  /** A backend that serves. */
  async backend(options: Partial<ZooKeeperOptions> = {}): Promise<Backend> {
    const backend = this.unready(options);
    await backend.ready();
    return backend;
  }

  unready(options: Partial<ZooKeeperOptions> = {}): Backend {
    const backend = zookeeper({
      connect: this.connect,
      operationTimeoutMs: OPERATION_TIMEOUT_MS,
      ...options,
    });
    this.#closing.push(() => backend.close());
    return backend;
  }

  async bedrock(
    options: Partial<ZooKeeperOptions> = {},
    more: Partial<BedrockOptions> = {},
  ): Promise<Bedrock> {
    const bedrock = new Bedrock({
      ...more,
      backend: zookeeper({ connect: this.connect, operationTimeoutMs: OPERATION_TIMEOUT_MS, ...options }),
    });
    this.#closing.push(() => bedrock.close({ graceMs: 0 }));
    await bedrock.ready();
    return bedrock;
  }

  /** Something between the backend and the server that breaks on demand. */
  async proxy(): Promise<{ proxy: TcpProxy; connect: string }> {
    const proxy = await startProxy(this.server.port);
    this.#closing.push(() => proxy.stop());
    return { proxy, connect: `127.0.0.1:${proxy.port}` };
  }

  async clean(): Promise<void> {
    for (const close of this.#closing.splice(0)) await close();
  }
}

export function fresh(): string {
  return `test:${randomUUID()}`;
}

/** A claim that ends with its session of 4 s, and wants a token. */
export function claimOf(backend: Backend, resource: string, terms: Partial<Claim> = {}): Claim {
  return plainClaimOf(backend, resource, { leaseMs: 4_000, tokens: 1, ...terms });
}

/** The same claim, as it is sent again. */
export function again(backend: Backend, claim: Claim): Claim {
  return { ...claim, notAfter: performance.now() + backend.operationTimeoutMs };
}

export function tokenOf(verdict: Verdict): number {
  if (verdict.kind !== 'granted') throw new Error(`it was ${verdict.kind}`);
  return verdict.token;
}
