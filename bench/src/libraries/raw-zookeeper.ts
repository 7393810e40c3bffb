import type { OpenLockOptions, OpenLock } from './open-lock.js';
import { ZooKeeperClient } from './zookeeper-client.js';

const ROOT = '/bench';

/**
 * The queue of ZooKeeper's own recipes: an ephemeral sequential node, a read of its position, a watch on the node
 * before it. The usual hand-made lock there, in one session.
 */
export async function open({ url }: OpenLockOptions): Promise<OpenLock<string>> {
  const client = await ZooKeeperClient.connect(url);
  const lines = new Map<string, Promise<unknown>>();
  const lineOf = async (key: string): Promise<string> => {
    const path = `${ROOT}/${key}`;
    const made = lines.get(key) ?? client.create(ROOT, true).then(() => client.create(path, true));
    lines.set(key, made);
    await made;
    return path;
  };
  return {
    async acquire(key) {
      const line = lines.has(key) ? `${ROOT}/${key}` : await lineOf(key);
      const path = await client.createInLine(`${line}/place-`);
      const own = path.slice(line.length + 1);
      for (;;) {
        // Names of equal length sort as texts.
        const places = (await client.children(line)).sort();
        const before = places[places.indexOf(own) - 1];
        if (before === undefined) return path;
        await client.gone(`${line}/${before}`);
      }
    },
    release: (path) => client.remove(path),
    close: async () => client.close(),
  };
}
