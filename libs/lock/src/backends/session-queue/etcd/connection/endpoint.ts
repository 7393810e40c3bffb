import type { Etcd3, IOptions } from 'etcd3';
import type { Clock } from '../../../../core/clock.js';
import { notExecuted } from './failures.js';

/** How a member is reached, whichever it is. */
export type EtcdConnection = Pick<IOptions, 'credentials' | 'auth' | 'grpcOptions'>;

type FaultPolicy = NonNullable<NonNullable<IOptions['faultHandling']>['global']>;

/**
 * One signal for all calls, since making one costs more than the rest of a policy. It never aborts,
 * and etcd3 does not look at it.
 */
const NEVER = new AbortController().signal;

/**
 * Calls once. etcd3 would send a failed request again, to another member too, and would refuse
 * calls for 5 s after three failures: both hide from a lock what has become of its request.
 */
const ONCE = {
  execute: async <T>(call: (context: { signal: AbortSignal }) => PromiseLike<T> | T) =>
    call({ signal: NEVER }),
} as unknown as FaultPolicy;

/** gRPC waits a second before it tries to connect again, and then up to two minutes. */
const RECONNECT_MS = { first: 100, longest: 1_000 };

let connections = 0;

/** One member of the cluster, and the connection to it. */
export class Endpoint {
  #client: Promise<Etcd3> | undefined;

  readonly #connection: EtcdConnection;

  constructor(
    readonly host: string,
    connection: EtcdConnection,
    private readonly clock: Clock,
    private readonly operationTimeoutMs: number,
  ) {
    this.#connection = connection;
  }

  /** Opened by the first call. @throws when etcd3 is not installed or refuses the options */
  client(): Promise<Etcd3> {
    this.#client ??= this.#open();
    return this.#client;
  }

  /** Drops a connection; the next call opens another one. False when that has happened already. */
  drop(client = this.#client): boolean {
    if (client === undefined || client !== this.#client) return false;
    this.#client = undefined;
    void client.then(
      (client) => client.close(),
      () => undefined,
    );
    return true;
  }

  async #open(): Promise<Etcd3> {
    const { Etcd3: Client } = await import('etcd3').catch((error: unknown) => {
      throw notExecuted('the client library etcd3 could not be loaded: npm install etcd3', error);
    });
    const { grpcOptions, ...connection } = this.#connection;
    connections += 1;
    return new Client({
      ...connection,
      hosts: this.host,
      faultHandling: { host: () => ONCE, global: ONCE },
      grpcOptions: {
        'grpc.initial_reconnect_backoff_ms': RECONNECT_MS.first,
        'grpc.min_reconnect_backoff_ms': RECONNECT_MS.first,
        'grpc.max_reconnect_backoff_ms': RECONNECT_MS.longest,
        'grpc.enable_retries': 0,
        ...grpcOptions,
        // Channels that differ in nothing share a connection, so a new client would get the silent one again.
        'grpc.primary_user_agent': `bedrock/${connections}`,
      },
      // For requests that etcd3 makes on its own, which have no time-out by default.
      defaultCallOptions: ({ isStream }) =>
        isStream ? {} : { deadline: this.clock.wall() + this.operationTimeoutMs },
    });
  }
}
