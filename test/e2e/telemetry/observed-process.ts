import { Bedrock } from 'bedrock-lock';
import { combination } from 'bedrock-lock/combination';
import { collect } from 'bedrock-lock/prometheus';
import { redis } from 'bedrock-lock/redis';
import { startRedis, type RunningServer } from 'bedrock-servers';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';

/** The renewal of such a lease is due after a third of it. */
const LEASE_MS = 600;
/** Makes the renewal late by more than the 100 ms that count as a stall, and ends well before the lease. */
const STALL_MS = 350;

/** Locks of this process on a Redis and on a combination of three, and the page that Prometheus scrapes. */
export class ObservedProcess {
  readonly register = new Registry();
  readonly #page = createServer((_request, response) => void this.#answer(response));
  #servers: readonly RunningServer[] = [];
  #onRedis: Bedrock | undefined;
  #onNodes: Bedrock | undefined;

  /** Gives back where it is scraped. */
  async start(): Promise<string> {
    const shared = await startRedis({ shared: true });
    const nodes = await Promise.all([startRedis(), startRedis(), startRedis()]);
    this.#servers = [shared, ...nodes];
    this.#onRedis = new Bedrock({ backend: redis(shared.url), prefix: `telemetry-${randomUUID()}:` });
    const backend = combination({
      nodes: nodes.map(({ url }, i) => redis({ url, nodeId: `node-${i + 1}` })),
      coldStart: 'trust',
      nodeTimeoutMs: 1_000,
    });
    this.#onNodes = new Bedrock({ backend });
    for (const bedrock of [this.#onRedis, this.#onNodes]) {
      collect(bedrock, { register: this.register });
      await bedrock.ready();
    }
    this.#page.listen(0, '127.0.0.1');
    await once(this.#page, 'listening');
    return `127.0.0.1:${(this.#page.address() as AddressInfo).port}`;
  }

  /** Grants, refusals, renewals, a stall, a loss, and requests under an idempotency key. */
  async produceEvents(): Promise<void> {
    await this.#useLock(this.#onRedis!);
    await this.#useKey(this.#onRedis!);
    await this.#onNodes!.mutex('payout').run(() => undefined);
  }

  async stop(): Promise<void> {
    this.#page.closeAllConnections();
    this.#page.close();
    await Promise.all([this.#onRedis?.close(), this.#onNodes?.close()]);
    await Promise.all(this.#servers.map((server) => server.stop()));
  }

  async #useLock(bedrock: Bedrock): Promise<void> {
    const orders = bedrock.mutex('orders');
    const lease = await orders.acquire({ leaseMs: LEASE_MS });
    await refused(orders.acquire({ waitMs: 0 }));
    await refused(orders.acquire({ waitMs: 30 }));
    block(STALL_MS);
    // The late renewal.
    await sleep(50);
    await lease.release();
    await Promise.all([orders.run(() => undefined), orders.run(() => undefined)]);
    await refused(orders.run(() => sleep(100), { maxHoldMs: 20 }));
  }

  async #useKey(bedrock: Bedrock): Promise<void> {
    const payments = bedrock.idempotency('payments', { keepMs: 10_000 });
    const request = { key: randomUUID(), payload: { amount: 500 } };
    await payments.run(request, () => 'paid');
    await payments.run(request, () => 'paid');
    await refused(payments.run({ ...request, payload: { amount: 900 } }, () => 'paid'));
  }

  async #answer(response: ServerResponse): Promise<void> {
    const text = await this.register.metrics();
    response.setHeader('content-type', this.register.contentType).end(text);
  }
}

/** The event loop stands still. */
function block(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}

/** Waits for the error of a call. */
async function refused(call: Promise<unknown>): Promise<void> {
  const isRefused = await call.then(
    () => false,
    () => true,
  );
  if (!isRefused) throw new Error('a call that must be refused was served');
}
