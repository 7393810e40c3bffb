/**
 * The part of node-zookeeper-client 1.1 that is used. The package has no types, and does not
 * document `connectionManager`.
 */

export interface Acl {
  readonly permission: number;
  readonly id: { readonly scheme: string; readonly id: string };
}

export interface Stat {
  readonly mzxid: Buffer;
  readonly mtime: Buffer;
  readonly pzxid: Buffer;
  readonly numChildren: number;
  readonly version: number;
}

export interface ClientError {
  readonly code: number;
  readonly name: string;
}

export interface RawOperation {
  readonly type: number;
  readonly path: string;
  readonly version?: number;
  readonly data?: Buffer;
  readonly mode?: number;
  readonly acls?: readonly Acl[];
}

export interface OperationResult {
  readonly type: number;
  readonly path?: string;
  readonly stat?: Stat;
  readonly err?: number;
}

export interface Transaction {
  readonly ops: RawOperation[];
  commit(callback: (error: ClientError | null, results?: OperationResult[]) => void): void;
}

/** What the connection manager sends: the type says how the reply is read. */
export interface ClientRequest {
  readonly header: { readonly type: number; xid: number };
  readonly payload: { setChrootPath(path: string): void };
  toBuffer(): Buffer;
}

export interface ConnectionManager {
  socket?: { destroy(): void };
  pendingBuffer: Buffer | null;
  readonly packetQueue: { queue: unknown[] };
  queue(request: ClientRequest, callback: (error: ClientError | null) => void): void;
  findNextServer(connect: (server: object) => void): void;
  onSocketData(data: Buffer): void;
  onSocketError(): void;
  onSocketClosed(hadError: boolean): void;
}

export interface Client {
  readonly connectionManager: ConnectionManager;
  on(event: 'state', listener: (state: object) => void): void;
  connect(): void;
  close(): void;
  addAuthInfo(scheme: string, auth: Buffer): void;
  getSessionTimeout(): number;
  transaction(): Transaction;
  create(
    path: string,
    data: Buffer,
    acls: readonly Acl[],
    mode: number,
    callback: (error: ClientError | null) => void,
  ): void;
  remove(path: string, callback: (error: ClientError | null) => void): void;
  setData(
    path: string,
    data: Buffer,
    version: number,
    callback: (error: ClientError | null, stat: Stat) => void,
  ): void;
  exists(
    path: string,
    watcher: (() => void) | undefined,
    callback: (error: ClientError | null, stat: Stat | null) => void,
  ): void;
  getData(
    path: string,
    watcher: (() => void) | undefined,
    callback: (error: ClientError | null, data: Buffer | undefined, stat: Stat) => void,
  ): void;
  getChildren(
    path: string,
    watcher: (() => void) | undefined,
    callback: (error: ClientError | null, children: string[], stat: Stat) => void,
  ): void;
}

/** What the package exports. */
export interface ClientLibrary {
  createClient(
    connect: string,
    options: { readonly sessionTimeout: number; readonly spinDelay: number; readonly retries: number },
  ): Client;
  readonly ACL: {
    readonly OPEN_ACL_UNSAFE: readonly Acl[];
    readonly CREATOR_ALL_ACL: readonly Acl[];
  };
  readonly State: {
    readonly SYNC_CONNECTED: object;
    readonly DISCONNECTED: object;
    readonly EXPIRED: object;
    readonly AUTH_FAILED: object;
  };
}
