import { startProxy, type TcpProxy } from 'bedrock-servers';
import type { RequestParser } from './wire-formats.js';

/** A server behind a proxy that counts the requests of all clients that come through it. */
export class CountedServer {
  #requests = 0;

  static async start(
    { host, port }: { readonly host: string; readonly port: number },
    parser: () => RequestParser,
  ): Promise<CountedServer> {
    return new CountedServer(await startProxy(port, host), parser);
  }

  private constructor(
    private readonly proxy: TcpProxy,
    parser: () => RequestParser,
  ) {
    const parsers = new WeakMap<object, RequestParser>();
    proxy.onRequest((bytes, connection) => {
      const known = parsers.get(connection) ?? parser();
      parsers.set(connection, known);
      this.#requests += known(bytes);
    });
  }

  /** Requests so far. */
  get requests(): number {
    return this.#requests;
  }

  get host(): string {
    return this.proxy.host;
  }

  get port(): number {
    return this.proxy.port;
  }

  /** The URL of the server, by way of the proxy. */
  through(url: string): string {
    const there = new URL(url);
    there.hostname = this.host;
    there.port = String(this.port);
    return there.href.replace(/\/$/, '');
  }

  stop(): Promise<void> {
    return this.proxy.stop();
  }
}
