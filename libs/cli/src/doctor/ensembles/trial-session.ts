// @ts-expect-error -- the package has no types: the part that is used is declared below
import library from 'node-zookeeper-client';
import type { Socket } from 'node:net';

interface TrialClient {
  readonly connectionManager: { readonly socket?: Socket };
  once(event: 'connected', listener: () => void): void;
  connect(): void;
  close(): void;
  addAuthInfo(scheme: string, auth: Buffer): void;
  getSessionTimeout(): number;
  exists(path: string, callback: (error: Error | null, stat: object | null) => void): void;
  getData(path: string, callback: (error: Error | null, data: Buffer | undefined) => void): void;
}

const zookeeper = library as {
  createClient(
    connect: string,
    options: { readonly sessionTimeout: number; readonly spinDelay: number; readonly retries: number },
  ): TrialClient;
};

/** How long the server has to confirm the end of a session, in ms. */
const CLOSE_WITHIN_MS = 200;

/** One session, whose requests are bounded in time. */
export class TrialSession {
  private constructor(
    private readonly client: TrialClient,
    private readonly timeoutMs: number,
  ) {}

  /** @param sessionMs the life that is asked for @throws Error when no server answers in time */
  static async open(connect: string, sessionMs: number, timeoutMs: number): Promise<TrialSession> {
    const client = zookeeper.createClient(connect, { sessionTimeout: sessionMs, spinDelay: 100, retries: 0 });
    const session = new TrialSession(client, timeoutMs);
    try {
      await session.#within(`no session within ${timeoutMs} ms`, (done) => {
        client.once('connected', () => done(null, undefined));
        client.connect();
      });
      return session;
    } catch (error) {
      closeClient(client);
      throw error;
    }
  }

  /** What the server lets the session live, in ms. */
  get lifeMs(): number {
    return this.client.getSessionTimeout();
  }

  /** Asks whether a node is there. */
  exists(path: string): Promise<boolean> {
    return this.#within<boolean>(`no answer within ${this.timeoutMs} ms`, (done) =>
      this.client.exists(path, (error, stat) => done(error, stat !== null)),
    );
  }

  /** What a node has; undefined if it cannot be read. */
  async read(path: string): Promise<string | undefined> {
    try {
      return await this.#within<string>(`no answer within ${this.timeoutMs} ms`, (done) =>
        this.client.getData(path, (error, data) => done(error, String(data ?? ''))),
      );
    } catch {
      return undefined;
    }
  }

  close(): void {
    closeClient(this.client);
  }

  #within<T>(failure: string, start: (done: (error: Error | null, value: T) => void) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(failure)), this.timeoutMs);
      start((error, value) => {
        clearTimeout(timer);
        if (error === null) resolve(value);
        else reject(error);
      });
    });
  }
}

/** The client itself waits for that answer without a limit. */
function closeClient(client: TrialClient): void {
  client.close();
  setTimeout(() => client.connectionManager.socket?.destroy(), CLOSE_WITHIN_MS);
}
