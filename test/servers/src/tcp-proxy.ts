import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from './free-port.js';
import { Pipe } from './pipe.js';
import { resetSocket } from './reset-socket.js';

export type Direction = 'requests' | 'replies';

/**
 * A TCP proxy that breaks on demand. Faults hold for open and for new connections until they are taken back.
 * TCP never delivers a byte whose predecessor was lost, so a connection that lost bytes stays silent in that
 * direction until it is closed; new connections then work.
 */
export class TcpProxy {
  readonly host = '127.0.0.1';
  readonly #server: Server;
  readonly #pairs = new Set<readonly [client: Socket, target: Socket]>();
  #onRequest: (bytes: Buffer, connection: object) => void = () => undefined;
  readonly #faults = {
    requests: { isDropping: false, delayMs: 0 },
    replies: { isDropping: false, delayMs: 0 },
  };

  static async start(targetPort: number, targetHost = '127.0.0.1'): Promise<TcpProxy> {
    const proxy = new TcpProxy(targetPort, targetHost, await freePort());
    await proxy.accept();
    return proxy;
  }

  private constructor(
    readonly targetPort: number,
    readonly targetHost: string,
    readonly port: number,
  ) {
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => this.#join(client));
  }

  /** How many connections are open. */
  get connections(): number {
    return this.#pairs.size;
  }

  /** Swallows what clients send: the server never sees it. */
  dropRequests(isDropping = true): void {
    this.#faults.requests.isDropping = isDropping;
  }

  /** Drops the replies of the server: the work is done, but the client gets no answer. */
  dropReplies(isDropping = true): void {
    this.#faults.replies.isDropping = isDropping;
  }

  /**
   * Calls the listener with the bytes of each request before they pass: a fault that it sets strikes them already.
   * `connection` is the same object for all bytes of a connection.
   */
  onRequest(listener: (bytes: Buffer, connection: object) => void): void {
    this.#onRequest = listener;
  }

  /** Holds bytes for `ms`, in their order; 0 ends the delay for bytes that come later. */
  delay(ms: number, direction?: Direction): void {
    if (direction !== 'replies') this.#faults.requests.delayMs = ms;
    if (direction !== 'requests') this.#faults.replies.delayMs = ms;
  }

  /** Resets all open connections. */
  cut(): void {
    for (const pair of this.#pairs) pair.forEach(resetSocket);
  }

  /** Refuses new connections; open ones stay. */
  async refuse(): Promise<void> {
    if (!this.#server.listening) return;
    // Listening ends at once; the callback would wait for the open connections.
    this.#server.close();
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Takes new connections again, on the same port. */
  async accept(): Promise<void> {
    if (this.#server.listening) return;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.port, this.host, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
  }

  async stop(): Promise<void> {
    await this.refuse();
    this.cut();
  }

  #join(client: Socket): void {
    const target = connect({
      host: this.targetHost,
      port: this.targetPort,
      allowHalfOpen: true,
      noDelay: true,
    });
    const pair = [client, target] as const;
    this.#pairs.add(pair);
    client.on('data', (bytes: Buffer) => this.#onRequest(bytes, client));
    const pipes = [
      new Pipe(client, target, this.#faults.requests),
      new Pipe(target, client, this.#faults.replies),
    ];
    for (const [at, socket] of pair.entries()) {
      socket.on('error', () => undefined);
      socket.on('close', (hadError) => {
        pipes[at]?.close(hadError);
        if (client.destroyed && target.destroyed) this.#pairs.delete(pair);
      });
    }
  }
}

/** Starts a proxy on a free port of 127.0.0.1 in front of `targetPort`. */
export function startProxy(targetPort: number, targetHost?: string): Promise<TcpProxy> {
  return TcpProxy.start(targetPort, targetHost);
}
