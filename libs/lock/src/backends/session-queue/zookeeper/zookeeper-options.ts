import { checkFields } from '../../../core/checks.js';
import { InvalidOptionError } from '../../../core/errors.js';
import { checkText } from '../../../core/key.js';
import {
  resolveSessionQueueOptions,
  type SessionQueueOptions,
  type SessionQueueSettings,
} from '../session-queue-options.js';

/** Credentials of a session. Nodes are made for their owner alone: all processes need the same. */
export interface ZooKeeperAuth {
  /** `digest`, or another scheme of the server. */
  readonly scheme: string;
  /** `user:password` for `digest`. */
  readonly credentials: string;
}

export interface ZooKeeperOptions extends SessionQueueOptions {
  /**
   * Servers, and where below them: `host:2181,host:2181` or `host:2181/app`, also behind
   * `zookeeper://`. Names or IPv4; the port is 2181 unless given.
   */
  readonly connect: string;
  /** The node that everything is below; made when it is missing. @default '/bedrock' */
  readonly root?: string;
  /** @default none: nodes are open to every client that reaches the server */
  readonly auth?: ZooKeeperAuth;
  /**
   * Longest lease, in ms. A session lives half as long again, and the server must allow that: `maxSessionTimeout`, 40 s
   * unless it is set, is good for leases of 26 s. @default 26000
   */
  readonly maxLeaseMs?: number;
}

/** The checked options. */
export interface ZooKeeperSettings extends SessionQueueSettings {
  readonly connect: string;
  readonly root: string;
  readonly auth: ZooKeeperAuth | undefined;
}

const FIELDS: ReadonlySet<string> = new Set<keyof ZooKeeperOptions>([
  'connect', 'root', 'auth', 'label', 'operationTimeoutMs', 'maxLeaseMs', 'clock',
]); // prettier-ignore
const AUTH_FIELDS: ReadonlySet<string> = new Set<keyof ZooKeeperAuth>(['scheme', 'credentials']);
const SERVER = /^[\w.-]+(?::(\d{1,5}))?$/;
const TREE = /^(?:\/[\w-][\w.-]*)+$/;
/** 600 s of session: the longest that is of any use, and more than servers allow. */
const MAX_LEASE_MS = 400_000;

/** Checks what was given to `zookeeper()`. Nothing is connected. @throws InvalidOptionError naming the field */
export function resolveZooKeeperOptions(given: string | ZooKeeperOptions): ZooKeeperSettings {
  const options: ZooKeeperOptions = typeof given === 'string' ? { connect: given } : given;
  checkFields('options', options, FIELDS);
  const { root = '/bedrock', auth, maxLeaseMs = 26_000 } = options;
  const connect = checkConnect(options.connect);
  if (typeof root !== 'string' || !TREE.test(root) || root.startsWith('/zookeeper')) {
    throw new InvalidOptionError('root', 'a path such as /app/locks, and not below /zookeeper', root);
  }
  checkText('root', root);
  if (auth !== undefined) checkAuth(auth);
  return Object.freeze({
    ...resolveSessionQueueOptions({ ...options, maxLeaseMs }, MAX_LEASE_MS),
    connect,
    root,
    auth,
  });
}

function checkConnect(given: unknown): string {
  const wanted = 'servers such as host:2181,host:2181/app';
  if (typeof given !== 'string') throw new InvalidOptionError('connect', wanted, given);
  const connect = given.replace(/^zookeeper:\/\//, '');
  const slash = connect.indexOf('/');
  const servers = slash < 0 ? connect : connect.slice(0, slash);
  const isTree = slash < 0 || TREE.test(connect.slice(slash));
  const areServers = servers.split(',').every((server) => {
    const match = SERVER.exec(server);
    return match !== null && Number(match[1] ?? 1) >= 1 && Number(match[1] ?? 1) <= 65_535;
  });
  if (!isTree || !areServers) throw new InvalidOptionError('connect', wanted, given);
  return connect;
}

// Never shows the credentials in an error.
function checkAuth(auth: ZooKeeperAuth): void {
  checkFields('auth', auth, AUTH_FIELDS);
  const { scheme, credentials } = auth;
  if (typeof scheme !== 'string' || !/^\w{1,40}$/.test(scheme))
    throw new InvalidOptionError('auth.scheme', 'the name of a scheme such as digest', typeof scheme);
  if (typeof credentials !== 'string' || credentials.length === 0)
    throw new InvalidOptionError('auth.credentials', 'a non-empty string', typeof credentials);
}
