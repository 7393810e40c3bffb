import { randomUUID } from 'node:crypto';
import { Bedrock, type Backend } from 'bedrock-lock';
import type { Claim } from 'bedrock-lock/backend';
import { etcd, type EtcdOptions } from 'bedrock-lock/etcd';
import { etcdCall } from 'bedrock-servers';
import * as plain from 'bedrock-testkit';

/** Peers on etcd servers that are closed after each test, and a look at what the servers keep. */
export class EtcdFixture {
  readonly #closing: (() => Promise<void>)[] = [];

  /** A resource that was never used. */
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

/** Terms of every claim: a short lease, and a token. */
const TERMS = { leaseMs: 5_000, tokens: 1 } as const;

export function claimOf(backend: Backend, resource: string, terms: Partial<Claim> = {}): Claim {
  return plain.claimOf(backend, resource, { ...TERMS, ...terms });
}

export function granted(backend: Backend, resource: string, terms: Partial<Claim> = {}) {
  return plain.granted(backend, resource, { ...TERMS, ...terms });
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

/** Keys of entries on a resource. */
export async function entryKeysOf(url: string, resource: string): Promise<StoredKey[]> {
  return keysOf(url, `bedrock/line/${encodeURIComponent(resource)}/`);
}
