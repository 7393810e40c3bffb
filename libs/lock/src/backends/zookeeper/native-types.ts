/** What is used of `zookeeper` 7, the client that is compiled. Codes and flags are those of ZooKeeper itself. */
export interface NativeClient {
  /** What the server has granted, in ms. */
  readonly timeout: number;
  on(event: 'connect' | 'connecting', listener: () => void): void;
  on(event: 'close', listener: (client: unknown, code: number) => void): void;
  on(
    event: 'created' | 'deleted' | 'changed' | 'child',
    listener: (client: unknown, path: string) => void,
  ): void;
  init(config: NativeConfig): unknown;
  close(): unknown;
  // Each gives 0 when it is under way; otherwise nobody is called back.
  a_create(path: string, data: Buffer, flags: number, done: NativeReply<[path: string]>): number;
  a_delete_(path: string, version: number, done: NativeReply<[]>): number;
  a_set(path: string, data: Buffer, version: number, done: NativeReply<[stat: NativeStat]>): number;
  a_get(path: string, watch: boolean, done: NativeReply<[stat: NativeStat, data: Buffer | null]>): number;
  a_get_children2(
    path: string,
    watch: boolean,
    done: NativeReply<[names: string[], stat: NativeStat]>,
  ): number;
  a_exists(path: string, watch: boolean, done: NativeReply<[stat: NativeStat | null]>): number;
  a_sync(path: string, done: NativeReply<[path: string]>): number;
}

export interface NativeConfig {
  readonly connect: string;
  readonly timeout: number;
  readonly debug_level: number;
  readonly host_order_deterministic: boolean;
  readonly response_counter_limit: number;
}

export type NativeReply<T extends unknown[]> = (code: number, message: string, ...answer: T) => void;

export interface NativeStat {
  readonly mzxid: number;
  readonly mtime: Date;
  readonly pzxid: number;
  readonly version: number;
}

/** The class that the package `zookeeper` exports. */
export type NativeZooKeeper = new (config: NativeConfig) => NativeClient;

export function isNativeZooKeeper(given: unknown): given is NativeZooKeeper {
  if (typeof given !== 'function') return false;
  const { a_create, a_get_children2 } = (given.prototype ?? {}) as Partial<NativeClient>;
  return typeof a_create === 'function' && typeof a_get_children2 === 'function';
}
