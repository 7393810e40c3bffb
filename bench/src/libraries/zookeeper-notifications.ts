import { notificationCame } from '../figures/notifications.js';

interface Sent {
  readonly header?: { readonly type: number };
  readonly payload?: { readonly path?: string };
}

const DELETE = 2;
let isCounting = false;

/**
 * Counts what ZooKeeper tells watchers in this process: whoever uses the client library, all are counted alike. What a
 * session is told of a node that it has just deleted itself is an echo, and woke nobody; it comes before the reply.
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
