import zookeeper, { type Client } from 'node-zookeeper-client';
import { commandSent } from '../figures/commands.js';
import { countNotifications } from './zookeeper-notifications.js';

const SESSION_MS = 20_000;
const NODE_EXISTS = -110;
const NO_NODE = -101;

/** A session of node-zookeeper-client, with promises instead of callbacks. Each call is one request. */
export class ZooKeeperClient {
  readonly #client: Client;

  private constructor(url: string) {
    this.#client = zookeeper.createClient(new URL(url).host, { sessionTimeout: SESSION_MS });
  }

  static async connect(url: string): Promise<ZooKeeperClient> {
    await countNotifications();
    const one = new ZooKeeperClient(url);
    return new Promise((resolve) => {
      one.#client.once('connected', () => resolve(one));
      one.#client.connect();
    });
  }

  /** Returns the path of the new node. */
  createInLine(prefix: string): Promise<string> {
    commandSent();
    return new Promise((resolve, reject) => {
      this.#client.create(prefix, null, null, zookeeper.CreateMode.EPHEMERAL_SEQUENTIAL, (error, path) =>
        error ? reject(error) : resolve(path),
      );
    });
  }

  /** False if the node exists. @param isLasting false deletes it with the session */
  create(path: string, isLasting: boolean): Promise<boolean> {
    const { PERSISTENT, EPHEMERAL } = zookeeper.CreateMode;
    commandSent();
    return new Promise((resolve, reject) => {
      this.#client.create(path, null, null, isLasting ? PERSISTENT : EPHEMERAL, (error) => {
        if (error && error.getCode() !== NODE_EXISTS) reject(error);
        else resolve(!error);
      });
    });
  }

  children(path: string): Promise<string[]> {
    commandSent();
    return new Promise((resolve, reject) => {
      this.#client.getChildren(path, (error, children) => (error ? reject(error) : resolve(children)));
    });
  }

  /** Resolves when the node does not exist (any more): by one watch. */
  gone(path: string): Promise<void> {
    commandSent();
    return new Promise((resolve, reject) => {
      this.#client.exists(
        path,
        () => resolve(),
        (error, stat) => {
          if (error) reject(error);
          else if (!stat) resolve();
        },
      );
    });
  }

  remove(path: string): Promise<void> {
    commandSent();
    return new Promise((resolve, reject) => {
      this.#client.remove(path, (error) => {
        if (error && error.getCode() !== NO_NODE) reject(error);
        else resolve();
      });
    });
  }

  close(): void {
    this.#client.close();
  }
}
