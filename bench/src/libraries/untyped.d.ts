/* eslint-disable no-restricted-exports -- it is these packages that export a default */
/** What the bench uses of redlock 4, which has no types, and of redlock 5, whose package does not lead to them. */
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
