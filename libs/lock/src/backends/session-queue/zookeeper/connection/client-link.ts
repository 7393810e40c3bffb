import { atMost, within, type Clock } from '../../../../core/clock.js';
import { outsideOfCallers } from '../../../../core/context.js';
import type { BackendUnavailableError } from '../../../../core/errors.js';
import { errorFor } from './error-codes.js';
import { zookeeper } from './client-library.js';
import type {
  Acl,
  Client,
  ClientRequest,
  ClientError,
  OperationResult,
  RawOperation,
  Stat,
} from './client-types.js';
import { Heartbeat } from './heartbeat.js';
import { notExecuted, noAnswer } from './failures.js';
import type { LinkListener, NodeMode, NodeStat, TransactionStep, StepResult, ZooKeeperLink } from './link.js';
import { containerRequest, syncRequest } from './raw-request.js';

/** Where a link leads to. */
export interface ClientLinkDeps {
  readonly connect: string;
  readonly auth: { readonly scheme: string; readonly credentials: string } | undefined;
  readonly sessionTimeoutMs: number;
  readonly operationTimeoutMs: number;
  readonly clock: Clock;
  readonly listener: LinkListener;
  /** A request is sent. */
  readonly onSent: () => void;
}

/** An operation of several that stands behind the one that failed. */
const NOT_REACHED = -2;
const MODES: Readonly<Record<NodeMode, number>> = {
  ...{ persistent: 0, ephemeral: 1, ephemeralSequential: 3, container: 4 },
};
const OPERATIONS = { create: 1, remove: 2, write: 5, check: 13 } as const;
/** All servers were tried: the longest pause before the next round, in ms. */
const PAUSE_MS = 200;

type ReplyCallback<T> = (error: ClientError | null | undefined, value: T) => void;

/**
 * A session over node-zookeeper-client. It adds what that library lacks: time-outs and the
 * detection of silence.
 */
export class ClientLink implements ZooKeeperLink {
  readonly #client: Client;
  readonly #heartbeat: Heartbeat;
  readonly #acls: readonly Acl[];
  #state: 'new' | 'connected' | 'suspended' | 'expired' | 'refused' | 'closed' = 'new';
  #onOpen: (() => void) | undefined;
  #onClosed: (() => void) | undefined;
  readonly #opened: Promise<void>;

  constructor(private readonly deps: ClientLinkDeps) {
    const { connect, auth, sessionTimeoutMs, clock } = deps;
    this.#acls = auth === undefined ? zookeeper.ACL.OPEN_ACL_UNSAFE : zookeeper.ACL.CREATOR_ALL_ACL;
    this.#opened = new Promise((resolve) => (this.#onOpen = resolve));
    const options = { sessionTimeout: sessionTimeoutMs, spinDelay: PAUSE_MS, retries: 0 };
    this.#client = outsideOfCallers(() => zookeeper.createClient(connect, options));
    this.#guardSocket();
    if (auth !== undefined) this.#client.addAuthInfo(auth.scheme, Buffer.from(auth.credentials));
    this.#client.on('state', (state) => this.#stateChanged(state));
    const heartbeatTarget = {
      probe: () => new Promise((resolve) => this.#client.exists('/', undefined, resolve)),
      disconnect: () => this.#drop(),
    };
    this.#heartbeat = new Heartbeat(clock, heartbeatTarget, silenceLimitFor(sessionTimeoutMs));
    outsideOfCallers(() => this.#client.connect());
  }

  get sessionTimeoutMs(): number {
    return this.#state === 'new' ? 0 : this.#client.getSessionTimeout();
  }

  async whenConnected(ms: number): Promise<void> {
    await atMost(this.deps.clock, ms, this.#opened);
    const problem = this.#problem();
    if (problem !== undefined) throw problem;
  }

  create(path: string, data: Buffer, mode: NodeMode): Promise<void> {
    if (mode === 'container') return this.#send(containerRequest(path, data, this.#acls));
    return this.#call((reply: ReplyCallback<void>) =>
      this.#client.create(path, data, this.#acls, MODES[mode], (error) => reply(error)),
    );
  }

  remove(path: string): Promise<void> {
    return this.#call((reply: ReplyCallback<void>) => this.#client.remove(path, (error) => reply(error)));
  }

  write(path: string, data: Buffer, version: number): Promise<NodeStat> {
    return this.#call((reply: ReplyCallback<NodeStat>) =>
      this.#client.setData(path, data, version, (error, stat) =>
        reply(error, error ? NO_STAT : statOf(stat)),
      ),
    );
  }

  read(path: string, onChange?: () => void): Promise<{ data: Buffer; stat: NodeStat }> {
    return this.#call((reply: ReplyCallback<{ data: Buffer; stat: NodeStat }>) =>
      this.#client.getData(path, onChange, (error, data = Buffer.alloc(0), stat) =>
        reply(error, { data, stat: error ? NO_STAT : statOf(stat) }),
      ),
    );
  }

  children(path: string, onChange?: () => void): Promise<{ names: string[]; stat: NodeStat }> {
    return this.#call((reply: ReplyCallback<{ names: string[]; stat: NodeStat }>) =>
      this.#client.getChildren(path, onChange, (error, names, stat) =>
        reply(error, { names, stat: error ? NO_STAT : statOf(stat) }),
      ),
    );
  }

  exists(path: string, onChange: () => void): Promise<boolean> {
    return this.#call((reply: ReplyCallback<boolean>) =>
      this.#client.exists(path, onChange, (error, stat) => reply(error, stat !== null)),
    );
  }

  sync(path: string): Promise<void> {
    return this.#send(syncRequest(path));
  }

  multi(steps: readonly TransactionStep[]): Promise<readonly StepResult[]> {
    return this.#call((reply: ReplyCallback<readonly StepResult[]>, refuse) => {
      const transaction = this.#client.transaction();
      transaction.ops.push(...steps.map((step) => this.#operation(step)));
      transaction.commit((error, results = []) => {
        const step = results.findIndex(({ err = 0 }) => err !== 0 && err !== NOT_REACHED);
        if (error && step >= 0) return refuse(errorFor(results[step]!.err!, step, error));
        reply(error, error ? [] : results.map(resultOf));
      });
    });
  }

  async close(): Promise<void> {
    if (this.#state === 'closed') return;
    const isOpen = this.#state === 'connected';
    this.#state = 'closed';
    this.#onOpen?.();
    this.#heartbeat.stop();
    const closed = new Promise<true>((resolve) => (this.#onClosed = () => resolve(true)));
    if (isOpen) this.#client.close();
    const isDone = isOpen && (await atMost(this.deps.clock, this.deps.operationTimeoutMs, closed));
    // Without an answer the server ends the session by itself, when its time is over.
    if (isDone !== true) this.#drop();
  }

  #send(request: ClientRequest): Promise<void> {
    return this.#call((reply: ReplyCallback<void>) =>
      this.#client.connectionManager.queue(request, (error) => reply(error)),
    );
  }

  #operation(step: TransactionStep): RawOperation {
    const { kind, path } = step;
    const type = OPERATIONS[kind];
    if (kind === 'create') return { type, path, data: step.data, mode: MODES[step.mode], acls: this.#acls };
    return kind === 'write'
      ? { type, path, data: step.data, version: step.version }
      : { type, path, version: step.version };
  }

  /**
   * Sends at once or not at all: the library would keep the request and send it after an outage.
   */
  async #call<T>(send: (reply: ReplyCallback<T>, refuse: (error: Error) => void) => void): Promise<T> {
    const problem = this.#problem();
    if (problem !== undefined) throw problem;
    const { clock, operationTimeoutMs, onSent } = this.deps;
    onSent();
    const answer = new Promise<{ readonly value: T }>((resolve, reject) => {
      outsideOfCallers(() =>
        send((error, value) => {
          if (error) reject(errorFor(error.code, 0, error));
          else resolve({ value });
        }, reject),
      );
    });
    const late = (): Error => noAnswer(`no answer within ${operationTimeoutMs} ms`);
    return (await within(clock, operationTimeoutMs, answer, late)).value;
  }

  #problem(): BackendUnavailableError | undefined {
    switch (this.#state) {
      case 'connected':
        return undefined;
      case 'expired':
        return notExecuted('the session has expired');
      case 'refused':
        return notExecuted('it does not accept the credentials');
      case 'closed':
        return notExecuted('it is closed');
      default:
        return notExecuted('there is no connection');
    }
  }

  #stateChanged(state: object): void {
    const { SYNC_CONNECTED, EXPIRED, AUTH_FAILED, DISCONNECTED } = zookeeper.State;
    if (state === DISCONNECTED) this.#disconnected();
    if (this.#state === 'closed' || this.#state === 'expired') return;
    if (state === SYNC_CONNECTED) {
      const isFirst = this.#state === 'new';
      this.#state = 'connected';
      this.#heartbeat.connectionChanged(true, silenceLimitFor(this.#client.getSessionTimeout()));
      if (isFirst) this.#onOpen?.();
      else this.deps.listener.reconnected();
    } else if (state === EXPIRED) {
      this.#state = 'expired';
      this.#heartbeat.stop();
      this.deps.listener.expired();
    } else if (state === AUTH_FAILED) {
      this.#state = 'refused';
      this.#onOpen?.();
    }
  }

  #disconnected(): void {
    this.#heartbeat.connectionChanged(false);
    this.#onClosed?.();
    if (this.#state !== 'connected') return;
    this.#state = 'suspended';
    this.deps.listener.suspended();
  }

  /**
   * The library throws on data that it cannot read, where no caller can catch it: the connection is
   * of no use then. Over a new connection, it would take half of a lost reply for the beginning of
   * the next. It would also send requests that are too late. It would connect after a close.
   */
  #guardSocket(): void {
    const { connectionManager } = this.#client;
    const read = connectionManager.onSocketData.bind(connectionManager);
    const closed = connectionManager.onSocketClosed.bind(connectionManager);
    const findNextServer = connectionManager.findNextServer.bind(connectionManager);
    connectionManager.onSocketData = (data) => {
      this.#heartbeat.received();
      try {
        read(data);
      } catch {
        this.#drop();
      }
    };
    connectionManager.onSocketClosed = (hadError) => {
      // Clears the time-out for connecting. Left behind by a connection that was dropped while it was made, it would
      // destroy the next one, and keep the process alive for up to the life of a session.
      connectionManager.onSocketError();
      connectionManager.pendingBuffer = null;
      connectionManager.packetQueue.queue.length = 0;
      closed(hadError);
    };
    connectionManager.findNextServer = (connect) => {
      if (this.#state === 'closed') return;
      findNextServer((server) => {
        if (this.#state !== 'closed') connect(server);
      });
    };
  }

  #drop(): void {
    this.#client.connectionManager.socket?.destroy();
  }
}

/**
 * A third of the session: then there is time to find another server. Where that is less than a busy
 * server may need, two thirds, as ZooKeeper's own clients have it.
 */
function silenceLimitFor(sessionMs: number): number {
  return Math.ceil(Math.max(sessionMs / 3, Math.min((sessionMs * 2) / 3, 2_000)));
}

const NO_STAT: NodeStat = { mzxid: 0, mtimeMs: 0, pzxid: 0, version: 0, childCount: 0 };

function statOf({ mzxid, mtime, pzxid, version, numChildren }: Stat): NodeStat {
  // Numbers above 2^53 lose their end; they are refused as too great when they become a token.
  return {
    mzxid: int64(mzxid),
    mtimeMs: int64(mtime),
    pzxid: int64(pzxid),
    version,
    childCount: numChildren,
  };
}

function int64(bytes: Buffer): number {
  return Number(bytes.readBigInt64BE());
}

function resultOf({ path, stat }: OperationResult): StepResult {
  return { ...(path !== undefined && { path }), ...(stat !== undefined && { stat: statOf(stat) }) };
}
