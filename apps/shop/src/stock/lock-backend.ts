import type { Backend } from 'bedrock-lock';

/** Possible backends of the stock service's locks. */
export const LOCKS_BACKENDS = ['zookeeper', 'redis', 'etcd', 'mysql', 'postgres', 'memory'] as const;
export type LocksBackend = (typeof LOCKS_BACKENDS)[number];

/** Opens the backend of the locks, and loads only its client. Creates the tables that it needs. */
export async function openLockBackend(name: LocksBackend, url: URL | undefined): Promise<Backend> {
  const label = 'stock';
  switch (name) {
    case 'zookeeper': {
      const { zookeeper } = await import('bedrock-lock/zookeeper');
      return zookeeper({ connect: url!.host, label });
    }
    case 'redis': {
      const { redis } = await import('bedrock-lock/redis');
      return redis({ url: url!.href, label });
    }
    case 'etcd': {
      const { etcd } = await import('bedrock-lock/etcd');
      return etcd({ hosts: url!.origin, label });
    }
    case 'mysql': {
      const { mysql } = await import('bedrock-lock/mysql');
      return withSchema(mysql({ url: url!.href, label }));
    }
    case 'postgres': {
      const { postgres } = await import('bedrock-lock/postgres');
      return withSchema(postgres({ url: url!.href, label }));
    }
    case 'memory': {
      const { memory } = await import('bedrock-lock/memory');
      return memory({ label });
    }
  }
}

async function withSchema(backend: Backend & { ensureSchema(): Promise<void> }): Promise<Backend> {
  try {
    await backend.ensureSchema();
    return backend;
  } catch (error) {
    await backend.close();
    throw error;
  }
}
