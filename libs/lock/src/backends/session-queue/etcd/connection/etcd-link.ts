import type {
  Etcd3,
  IDeleteRangeRequest,
  IDeleteRangeResponse,
  IDuplexStream,
  ILeaseGrantResponse,
  ILeaseKeepAliveResponse,
  IRangeRequest,
  IRangeResponse,
  ITxnRequest,
  ITxnResponse,
  IWatchRequest,
  IWatchResponse,
} from 'etcd3';
import { within, type Clock } from '../../../../core/clock.js';
import { Endpoint, type Connection } from './endpoint.js';
import { asFailure, fateOf, noAnswer, notDone } from './failures.js';

export interface LinkTerms {
  readonly hosts: readonly string[];
  readonly connection: Connection;
  readonly clock: Clock;
  readonly operationTimeoutMs: number;
}

interface CallOptions {
  /** Epoch ms. */
  readonly deadline: number;
}

type Call<T> = (client: Etcd3, options: CallOptions) => Promise<T>;

/** How long a call may take, and whether it may be sent to two members. */
interface Patience {
  /** Monotonic ms. */
  readonly until: number;
  readonly isRepeatable: boolean;
}

export type WatchStream = IDuplexStream<IWatchRequest, IWatchResponse>;

/**
 * The requests that a line needs, each with an end: to one member as long as it answers, then to the next. What is sent
 * once is never sent again here unless no connection took it, or a repetition does no harm.
 */
export class EtcdLink {
  commands = 0;
  readonly #endpoints: readonly Endpoint[];
  readonly #clock: Clock;
  readonly #operationTimeoutMs: number;
  readonly #listeners = new Set<() => void>();
  #current = 0;
  #isClosed = false;

  constructor({ hosts, connection, clock, operationTimeoutMs }: LinkTerms) {
    this.#clock = clock;
    this.#operationTimeoutMs = operationTimeoutMs;
    this.#endpoints = hosts.map((host) => new Endpoint(host, connection, clock, operationTimeoutMs));
  }

  /** When a verb that begins now must have settled, monotonic ms. */
  deadline(): number {
    return this.#clock.now() + this.#operationTimeoutMs;
  }

  /** Calls back when another connection is used from now on. */
  onMoved(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** @throws BackendUnavailableError, LeaseGone */
  txn(request: ITxnRequest, until: number, isRepeatable = false): Promise<ITxnResponse> {
    return this.#call({ until, isRepeatable }, (client, options) => client.kv.txn(request, options));
  }

  /** @throws BackendUnavailableError */
  remove(request: IDeleteRangeRequest, until: number): Promise<IDeleteRangeResponse> {
    return this.#call({ until, isRepeatable: false }, (client, options) =>
      client.kv.deleteRange(request, options),
    );
  }

  /** Reads what the majority has agreed on. */
  range(request: IRangeRequest, until: number): Promise<IRangeResponse> {
    return this.#call({ until, isRepeatable: true }, (client, options) => client.kv.range(request, options));
  }

  /** A new lease; the server may give it a longer life. */
  grantLease(ttlSeconds: number, until: number): Promise<ILeaseGrantResponse> {
    return this.#call({ until, isRepeatable: true }, (client, options) =>
      client.leaseClient.leaseGrant({ TTL: ttlSeconds }, options),
    );
  }

  async revokeLease(leaseId: string, until: number): Promise<void> {
    await this.#call({ until, isRepeatable: true }, (client, options) =>
      client.leaseClient.leaseRevoke({ ID: leaseId }, options),
    );
  }

  /** One keep-alive on a stream of its own: behind one that a dead leader does not answer, others would wait too. */
  keepAlive(leaseId: string, until: number): Promise<ILeaseKeepAliveResponse> {
    return this.#call({ until, isRepeatable: true }, async (client, options) => {
      const stream = await client.leaseClient.leaseKeepAlive(options);
      return new Promise<ILeaseKeepAliveResponse>((resolve, reject) => {
        stream.on('data', (reply) => {
          resolve(reply);
          stream.end();
        });
        stream.on('error', reject);
        stream.on('end', () => reject(new Error('the keep-alive was not answered')));
        stream.write({ ID: leaseId });
      });
    });
  }

  /** The version of the member that is asked. */
  async version(until: number): Promise<string> {
    const status = await this.#call({ until, isRepeatable: true }, (client, options) =>
      client.maintenance.status(options),
    );
    return status.version;
  }

  /** Opens a stream for watches. @throws when there is no connection */
  async watch(): Promise<WatchStream> {
    if (this.#isClosed) throw notDone('it is closed');
    this.commands += 1;
    const client = await this.#endpoint.client();
    return client.watchClient.watch();
  }

  close(): void {
    this.#isClosed = true;
    for (const endpoint of this.#endpoints) endpoint.drop();
  }

  get #endpoint(): Endpoint {
    return this.#endpoints[this.#current]!;
  }

  async #call<T>(patience: Patience, call: Call<T>): Promise<T> {
    const tried = new Set<Endpoint>();
    for (;;) {
      if (this.#isClosed) throw notDone('it is closed');
      const endpoint = this.#endpoint;
      tried.add(endpoint);
      const client = endpoint.client();
      try {
        return await this.#try(client, endpoint.host, patience, call);
      } catch (error) {
        const fate = fateOf(error);
        // Where nothing was sent, gRPC tries to connect on its own.
        if (fate === 'unanswered' && endpoint.drop(client)) this.#leave(endpoint);
        if (fate === 'notSent' && this.#endpoints.length > 1) this.#leave(endpoint);
        const mayRepeat = fate === 'notSent' || (fate === 'unanswered' && patience.isRepeatable);
        const hasTime = this.#clock.now() < patience.until;
        if (!mayRepeat || !hasTime || tried.has(this.#endpoint)) throw asFailure(error);
      }
    }
  }

  #try<T>(client: Promise<Etcd3>, host: string, patience: Patience, call: Call<T>): Promise<T> {
    const restMs = patience.until - this.#clock.now();
    // What may be asked again elsewhere does not wait to the end for a member that is silent.
    const ms = patience.isRepeatable && this.#endpoints.length > 1 ? restMs / 2 : restMs;
    if (!(ms > 0)) return Promise.reject(notDone('there was no time left to ask'));
    const answer = client.then((opened) => {
      this.commands += 1;
      return call(opened, { deadline: this.#clock.wall() + ms });
    });
    return within(this.#clock, ms, answer, () => noAnswer(`${host} said nothing for ${Math.round(ms)} ms`));
  }

  /** The next call takes another connection, to the next member where there are several. */
  #leave(endpoint: Endpoint): void {
    if (endpoint !== this.#endpoint || this.#isClosed) return;
    this.#current = (this.#current + 1) % this.#endpoints.length;
    for (const listener of this.#listeners) listener();
  }
}
