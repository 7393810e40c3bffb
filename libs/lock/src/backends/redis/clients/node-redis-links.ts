import type { Clock } from '../../../core/clock.js';
import type { LinkFactory, RedisLinkTarget, RedisLink } from '../connection/link.js';
import type { NodeRedisClient, NodeRedisApi } from './node-redis-client.js';
import { NodeRedisLink } from './node-redis-link.js';

/** The options that are read from a user's client. */
interface NodeRedisClientOptions {
  readonly database?: number;
  readonly socket?: Readonly<Record<string, unknown>>;
}

/** Settings of Bedrock's own connections, whatever the user's are. RESP 2 and 3 both work. */
const SETTINGS = {
  name: 'bedrock',
  disableOfflineQueue: true,
  commandsQueueMaxLength: undefined,
  // Version 6 otherwise has a time-out of 5 s, with a timer for each command.
  commandOptions: { timeout: undefined },
  pingInterval: undefined,
  readonly: false,
  keyPrefix: undefined,
  clientSideCache: undefined,
  emitInvalidate: undefined,
  maintNotifications: 'disabled',
  // The options of the client contain its parts already, and the URL would override them.
  url: undefined,
} as const;

/** Links through duplicates of a user's client, with its version and its credentials. */
export class NodeRedisLinks implements LinkFactory {
  constructor(
    private readonly client: NodeRedisClient,
    private readonly clock: Clock,
  ) {}

  create(target?: RedisLinkTarget): RedisLink {
    const { client } = this;
    const options = (client as { readonly options?: NodeRedisClientOptions }).options ?? {};
    const { database = options.database ?? 0, credentials } = target ?? {};
    const duplicate = client.duplicate.bind(client) as (overrides: object) => NodeRedisApi;
    const makeClient = (signal: AbortSignal): NodeRedisApi =>
      duplicate({
        ...SETTINGS,
        database,
        ...(credentials && { username: undefined, password: undefined, credentialsProvider: undefined, ...credentials }),
        socket: { ...socketOf(options.socket, target), signal },
      }); // prettier-ignore
    return new NodeRedisLink(makeClient, database, this.clock, target?.isSharded === true);
  }
}

function socketOf(given: NodeRedisClientOptions['socket'], target: RedisLinkTarget | undefined): object {
  const own = {
    ...given,
    // Reached only while a client is being destroyed: a link makes a new one for each connection.
    reconnectStrategy: () => 0,
    socketTimeout: undefined,
  };
  if (target === undefined) return own;
  const { host, port, tls } = target;
  const { path: _path, ...rest } = { path: undefined, ...own };
  return { ...rest, host, port, ...(tls !== undefined && { ...tls, tls: tls !== false }) };
}
