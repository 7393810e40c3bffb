import type { OpenLockOptions, OpenLock } from './open-lock.js';
import { ZooKeeperClient } from './zookeeper-client.js';

const ROOT = '/bench-herd';

/**
 * The simple lock: one ephemeral node, watched by every caller that failed to create it. Only here, to show the herd.
 */
export async function open({ url }: OpenLockOptions): Promise<OpenLock<string>> {
  const client = await ZooKeeperClient.connect(url);
  await client.create(ROOT, true);
  return {
    async acquire(key) {
      const path = `${ROOT}/${key}`;
      while (!(await client.create(path, false))) await client.gone(path);
      return path;
    },
    release: (path) => client.remove(path),
    close: async () => client.close(),
  };
}
