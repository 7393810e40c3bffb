import { notificationCame } from '../figures/notifications.js';

interface Sent {
  readonly header?: { readonly type: number };
  readonly payload?: { readonly path?: string };
}

const DELETE = 2;
let isCounting = false;

/**
 * Counts the watch events of ZooKeeper in this process, for every user of the client library. A session's event about
 * its own deletion is an echo: it wakes no waiter, and precedes the reply.
 */
export async function countNotifications(): Promise<void> {
  if (isCounting) return;
  isCounting = true;
  const { default: WatcherManager } = await import('node-zookeeper-client/lib/WatcherManager.js');
  const { default: ConnectionManager } = await import('node-zookeeper-client/lib/ConnectionManager.js');
  const deleting = new WeakMap<object, Set<string>>();
  const queue = Reflect.get(ConnectionManager.prototype, 'queue');
  ConnectionManager.prototype.queue = function watching(request: Sent, reply) {
    const path = request.header?.type === DELETE ? request.payload?.path : undefined;
    if (path === undefined) return queue.call(this, request, reply);
    const own = deleting.get(this.watcherManager) ?? new Set();
    deleting.set(this.watcherManager, own.add(path));
    queue.call(this, request, (...answer) => {
      own.delete(path);
      reply?.(...answer);
    });
  };
  const emit = Reflect.get(WatcherManager.prototype, 'emit');
  WatcherManager.prototype.emit = function counting(event) {
    notificationCame(deleting.get(this)?.has(event.path) === true);
    emit.call(this, event);
  };
}
