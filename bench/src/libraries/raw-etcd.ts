import { Etcd3 } from 'etcd3';
import { commandSent } from '../figures/commands.js';
import type { OpenLockOptions, OpenLock } from './open-lock.js';

const LEASE_S = 60;

/** The used fields of a reply. */
interface Found {
  readonly key: Buffer;
  readonly create_revision: string;
}

/**
 * The mutex of etcd's Go package, written with etcd3. One transaction puts a key on a long lease and reads the key
 * before it; then a watch on that key, if there is one, and a deletion.
 */
export async function open({ url }: OpenLockOptions): Promise<OpenLock<string>> {
  const client = new Etcd3({ hosts: url });
  const lease = await client.lease(LEASE_S).grant();
  let made = 0;
  return {
    async acquire(key) {
      const own = `bench/${key}/${lease}-${made++}`;
      commandSent();
      const { responses } = await client
        .if(own, 'Create', '==', 0)
        .then(
          client.put(own).value('').lease(lease),
          client.getAll().prefix(`bench/${key}/`).sort('Create', 'Descend').limit(2),
        )
        .commit();
      const [me, last] = (responses[1] as { response_range: { kvs: Found[] } }).response_range.kvs;
      let before = last;
      while (before !== undefined) {
        await gone(client, before.key);
        commandSent();
        const { kvs } = await client
          .getAll()
          .prefix(`bench/${key}/`)
          .maxCreateRevision(Number(me!.create_revision) - 1)
          .sort('Create', 'Descend')
          .limit(1)
          .exec();
        [before] = kvs;
      }
      return own;
    },
    async release(own) {
      commandSent();
      await client.delete().key(own);
    },
    close: async () => client.close(),
  };
}

/** Resolves when a key is deleted; a later read detects an earlier deletion. */
async function gone(client: Etcd3, key: Buffer): Promise<void> {
  commandSent();
  const watcher = await client.watch().key(key).create();
  const deleted = new Promise<void>((resolve) => watcher.once('delete', () => resolve()));
  commandSent();
  // The key may have been deleted before the watch existed.
  if ((await client.get(key).buffer()) !== null) await deleted;
  commandSent();
  void watcher.cancel();
}
