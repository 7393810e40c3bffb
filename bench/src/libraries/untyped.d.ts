/* eslint-disable no-restricted-exports -- it is these packages that export a default */
/**
 * Types of the used parts of packages without types: redlock 4, redlock 5 (which does not export them),
 * node-zookeeper-client.
 */
declare module 'redlock-4' {
  export interface Lock {
    unlock(): Promise<void>;
    extend(ttlMs: number): Promise<Lock>;
  }
  interface Waiting {
    readonly retryCount: number;
    readonly retryDelay: number;
  }
  class Redlock {
    constructor(clients: readonly unknown[], options: { readonly retryJitter: number });
    lockWithOptions(resource: string, ttlMs: number, options: Waiting): Promise<Lock>;
  }
  export { Redlock as default };
}

declare module 'redlock-5' {
  interface Settings {
    readonly retryCount: number;
    readonly retryDelay: number;
    readonly retryJitter: number;
  }
  export interface Lock {
    release(): Promise<unknown>;
  }
  class Redlock {
    constructor(clients: Iterable<unknown>);
    acquire(resources: string[], durationMs: number, settings: Settings): Promise<Lock>;
    using<T>(resources: string[], durationMs: number, routine: () => Promise<T>): Promise<T>;
  }
  export { Redlock as default };
}

declare module 'node-zookeeper-client' {
  interface Failure extends Error {
    getCode(): number;
  }
  type Done<T> = (error: Failure | null | undefined, result: T) => void;
  export interface Client {
    once(event: 'connected', listener: () => void): void;
    connect(): void;
    close(): void;
    create(path: string, data: null, acls: null, mode: number, done: Done<string>): void;
    getChildren(path: string, done: Done<string[]>): void;
    exists(path: string, watcher: () => void, done: Done<object | null>): void;
    remove(path: string, done: Done<void>): void;
  }
  const library: {
    createClient(connect: string, options: { readonly sessionTimeout: number }): Client;
    readonly CreateMode: Readonly<Record<'PERSISTENT' | 'EPHEMERAL' | 'EPHEMERAL_SEQUENTIAL', number>>;
  };
  export { library as default };
}

declare module 'node-zookeeper-client/lib/WatcherManager.js' {
  class WatcherManager {
    emit(event: { readonly path: string }): void;
  }
  export { WatcherManager as default };
}

declare module 'node-zookeeper-client/lib/ConnectionManager.js' {
  class ConnectionManager {
    readonly watcherManager: object;
    queue(request: object, reply?: (...answer: unknown[]) => void): void;
  }
  export { ConnectionManager as default };
}
