import type { Clock } from '../../../core/clock.js';
import type { LinkFactory, RedisLinkTarget, RedisLink } from '../connection/link.js';
import type { NodeRedisClient, NodeRedisApi } from './node-redis-client.js';
import { NodeRedisLink } from './node-redis-link.js';

/** The options that are read of a user's client. */
interface NodeRedisClientOptions {
  readonly database?: number;
  readonly socket?: Readonly<Record<string, unknown>>;
}

/** What Bedrock needs of its own connections, whatever the user's are like. RESP 2 or 3 serves it alike. */
const SETTINGS = {
  name: 'bedrock',
  disableOfflineQueue: true,
  commandsQueueMaxLength: undefined,
  // Version 6 has a time-out of 5 s otherwise, with a timer of its own for each command.
  commandOptions: { timeout: undefined },
  pingInterval: undefined,
  readonly: false,
  keyPrefix: undefined,
  clientSideCache: undefined,
  emitInvalidate: undefined,
  maintNotifications: 'disabled',
  // Its parts are among the options of the client, and would be overwritten by it.
  url: undefined,
} as const;

/** Links through duplicates of a user's client, with the version and the credentials that it has. */
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
    // Reached only by a client that is being destroyed: a link makes a new one for each connection.
    reconnectStrategy: () => 0,
    socketTimeout: undefined,
  };
  if (target === undefined) return own;
  const { host, port, tls } = target;
  const { path: _path, ...rest } = { path: undefined, ...own };
  return { ...rest, host, port, ...(tls !== undefined && { ...tls, tls: tls !== false }) };
}
