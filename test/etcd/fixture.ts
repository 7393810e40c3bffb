import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Bedrock, MUTEX, type Backend, type Claim } from 'bedrock-lock';
import { etcd, type EtcdOptions } from 'bedrock-lock/etcd';
import { etcdCall } from 'bedrock-servers';

export const FREE = { keepMs: 0, leaveQueue: true };

let claims = 0;

/** Peers on etcd servers that are closed after each test, and a look at what the servers keep. */
export class EtcdFixture {
  readonly #closing: (() => Promise<void>)[] = [];

  /** A resource that nobody has used. */
  fresh(): string {
    return `etcd:${randomUUID()}`;
  }

  /** A backend that serves. */
  async backend(options: EtcdOptions): Promise<Backend> {
    const backend = etcd(options);
    this.#closing.push(() => backend.close());
    await backend.ready();
    return backend;
  }

  async peer(options: EtcdOptions): Promise<Bedrock> {
    const bedrock = new Bedrock({ backend: etcd(options), defaults: { leaseMs: 5_000 } });
    this.#closing.push(() => bedrock.close({ graceMs: 0 }));
    await bedrock.ready();
    return bedrock;
  }

  async clean(): Promise<void> {
    await Promise.all(this.#closing.splice(0).map((close) => close()));
  }
}

export function claimOf(backend: Backend, resource: string, terms: Partial<Claim> = {}): Claim {
  return {
    id: `${backend.processId}:${++claims}`,
    resource,
    shape: MUTEX,
    queue: true,
    mayPush: false,
    leaseMs: 5_000,
    holdAtLeastMs: 0,
    tokens: 1,
    notAfter: performance.now() + backend.operationTimeoutMs,
    ...terms,
  };
}

/** Claims and insists on the grant. */
export async function granted(
  backend: Backend,
  resource: string,
  terms: Partial<Claim> = {},
): Promise<Claim & { token: number }> {
  const claim = claimOf(backend, resource, terms);
  const verdict = await backend.leases.claim(claim);
  if (verdict.kind !== 'granted') throw new Error(`not granted: ${JSON.stringify(verdict)}`);
  return { ...claim, token: verdict.token };
}

/** A key as the server has it. */
export interface StoredKey {
  readonly key: string;
  readonly lease: string;
}

/** All keys that begin so, as a member tells without a client library. */
export async function keysOf(url: string, prefix = 'bedrock/'): Promise<StoredKey[]> {
  const last = prefix.charCodeAt(prefix.length - 1) + 1;
  const range_end = btoa(prefix.slice(0, -1) + String.fromCharCode(last));
  const reply = await etcdCall(url, 'kv/range', { key: btoa(prefix), range_end, keys_only: true });
  const { kvs = [] } = reply as { kvs?: { key: string; lease?: string }[] };
  return kvs.map(({ key, lease = '0' }) => ({ key: atob(key), lease }));
}

/** Keys of places on a resource. */
export async function placesOf(url: string, resource: string): Promise<StoredKey[]> {
  return keysOf(url, `bedrock/line/${encodeURIComponent(resource)}/`);
}

/** Asks again and again until the answer is yes, and says what when it does not come. */
export async function eventually(
  what: string,
  isTrue: () => boolean | Promise<boolean>,
  withinMs = 5_000,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await sleep(10);
  }
}
