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
import { sleep, within, type Clock } from '../../../../core/clock.js';
import { Endpoint, type EtcdConnection } from './endpoint.js';
import { toBackendError, fateOf, noAnswer, notExecuted } from './failures.js';

export interface EtcdLinkSettings {
  readonly hosts: readonly string[];
  readonly connection: EtcdConnection;
  readonly clock: Clock;
  readonly operationTimeoutMs: number;
}

interface GrpcCallOptions {
  /** Epoch ms. */
  readonly deadline: number;
}

type EtcdCall<T> = (client: Etcd3, options: GrpcCallOptions) => Promise<T>;

/** A member that could not answer in time is asked again after this. */
const PAUSE_MS = 50;

/** How long a call may take, and whether it may be sent more than once. */
interface CallLimits {
  /** Monotonic ms. */
  readonly deadline: number;
  readonly isRepeatable: boolean;
}

export type WatchStream = IDuplexStream<IWatchRequest, IWatchResponse>;

/**
 * The requests of a queue, each with an end. They go to one member as long as it answers, then to
 * the next. A request is repeated here only if no connection took it, or if a repetition does no
 * harm: at each member once, and at a member that could not answer in time until the end.
 */
export class EtcdLink {
  commands = 0;
  readonly #endpoints: readonly Endpoint[];
  readonly #clock: Clock;
  readonly #operationTimeoutMs: number;
  readonly #listeners = new Set<() => void>();
  #current = 0;
  #isClosed = false;

  constructor({ hosts, connection, clock, operationTimeoutMs }: EtcdLinkSettings) {
    this.#clock = clock;
    this.#operationTimeoutMs = operationTimeoutMs;
    this.#endpoints = hosts.map((host) => new Endpoint(host, connection, clock, operationTimeoutMs));
  }

  /** When a verb that begins now must have settled, monotonic ms. */
  deadline(): number {
    return this.#clock.now() + this.#operationTimeoutMs;
  }

  /** Calls back when another connection is used from now on. */
  onEndpointChanged(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** @throws BackendUnavailableError, EtcdLeaseNotFoundError */
  txn(request: ITxnRequest, deadline: number, isRepeatable = false): Promise<ITxnResponse> {
    return this.#call({ deadline, isRepeatable }, (client, options) => client.kv.txn(request, options));
  }

  /** @throws BackendUnavailableError */
  remove(request: IDeleteRangeRequest, deadline: number): Promise<IDeleteRangeResponse> {
    return this.#call({ deadline, isRepeatable: false }, (client, options) =>
      client.kv.deleteRange(request, options),
    );
  }

  /** Reads what the majority has agreed on. */
  range(request: IRangeRequest, deadline: number): Promise<IRangeResponse> {
    return this.#call({ deadline, isRepeatable: true }, (client, options) =>
      client.kv.range(request, options),
    );
  }

  /** A new lease; the server may give it a longer life. */
  grantLease(ttlSeconds: number, deadline: number): Promise<ILeaseGrantResponse> {
    return this.#call({ deadline, isRepeatable: true }, (client, options) =>
      client.leaseClient.leaseGrant({ TTL: ttlSeconds }, options),
    );
  }

  async revokeLease(leaseId: string, deadline: number): Promise<void> {
    await this.#call({ deadline, isRepeatable: true }, (client, options) =>
      client.leaseClient.leaseRevoke({ ID: leaseId }, options),
    );
  }

  /** One keep-alive on a stream of its own: behind one that a dead leader does not answer, others would wait too. */
  keepAlive(leaseId: string, deadline: number): Promise<ILeaseKeepAliveResponse> {
    return this.#call({ deadline, isRepeatable: true }, async (client, options) => {
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

  /** The version of the current member. */
  async version(deadline: number): Promise<string> {
    const status = await this.#call({ deadline, isRepeatable: true }, (client, options) =>
      client.maintenance.status(options),
    );
    return status.version;
  }

  /** Opens a stream for watches. @throws when there is no connection */
  async watch(): Promise<WatchStream> {
    if (this.#isClosed) throw notExecuted('it is closed');
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

  async #call<T>(limits: CallLimits, call: EtcdCall<T>): Promise<T> {
    const failed = new Set<Endpoint>();
    for (;;) {
      if (this.#isClosed) throw notExecuted('it is closed');
      const endpoint = this.#endpoint;
      const client = endpoint.client();
      try {
        return await this.#try(client, endpoint.host, limits, call);
      } catch (error) {
        const fate = fateOf(error);
        const isSlow = fate === 'notInTime';
        if (!isSlow) failed.add(endpoint);
        // A member that answers keeps its connection. Where nothing was sent, gRPC tries to connect on its own.
        if (fate === 'unanswered' && endpoint.drop(client)) this.#failOver(endpoint);
        if ((fate === 'notSent' || isSlow) && this.#endpoints.length > 1) this.#failOver(endpoint);
        const mayRepeat = fate === 'notSent' || ((fate === 'unanswered' || isSlow) && limits.isRepeatable);
        const hasTime = this.#clock.now() + (isSlow ? PAUSE_MS : 0) < limits.deadline;
        if (!mayRepeat || !hasTime || failed.has(this.#endpoint)) throw toBackendError(error);
        if (isSlow) await sleep(this.#clock, PAUSE_MS, true);
      }
    }
  }

  #try<T>(client: Promise<Etcd3>, host: string, limits: CallLimits, call: EtcdCall<T>): Promise<T> {
    const restMs = limits.deadline - this.#clock.now();
    // What may be asked again elsewhere does not wait to the end for a member that is silent.
    const ms = limits.isRepeatable && this.#endpoints.length > 1 ? restMs / 2 : restMs;
    if (!(ms > 0)) return Promise.reject(notExecuted('there was no time left to ask'));
    const answer = client.then((opened) => {
      this.commands += 1;
      return call(opened, { deadline: this.#clock.wall() + ms });
    });
    return within(this.#clock, ms, answer, () => noAnswer(`${host} said nothing for ${Math.round(ms)} ms`));
  }

  /** The next call takes another connection, to the next member where there are several. */
  #failOver(endpoint: Endpoint): void {
    if (endpoint !== this.#endpoint || this.#isClosed) return;
    this.#current = (this.#current + 1) % this.#endpoints.length;
    for (const listener of this.#listeners) listener();
  }
}
