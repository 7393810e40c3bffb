import type { IOptions } from 'etcd3';
import { checkFields, checkObject } from '../../../core/checks.js';
import { InvalidOptionError } from '../../../core/errors.js';
import { checkText } from '../../../core/key.js';
import {
  resolveSessionQueueOptions,
  type SessionQueueOptions,
  type SessionQueueSettings,
} from '../session-queue-options.js';
import type { EtcdConnection } from './connection/endpoint.js';

export interface EtcdOptions extends SessionQueueOptions {
  /** Members of the cluster: `http://host:2379`, all with `http:` or all with `https:`. One is used until it fails. */
  readonly hosts: string | readonly string[];
  /** Certificates for `https:`, as etcd3 has them. @default those of the system */
  readonly credentials?: NonNullable<IOptions['credentials']>;
  /** The user, if etcd has authentication enabled. */
  readonly auth?: EtcdAuth;
  /** More options of the gRPC channels, as grpc-js has them. */
  readonly grpcOptions?: NonNullable<IOptions['grpcOptions']>;
  /** What every key begins with. Processes that lock the same things need the same. @default 'bedrock/' */
  readonly prefix?: string;
  /** Longest lease, in ms. @default 30000 */
  readonly maxLeaseMs?: number;
}

/** A user of etcd. */
export interface EtcdAuth {
  readonly username: string;
  readonly password: string;
}

/** The checked options. */
export interface EtcdSettings extends SessionQueueSettings {
  readonly hosts: readonly string[];
  readonly connection: EtcdConnection;
  readonly prefix: string;
}

const FIELDS: ReadonlySet<string> = new Set<keyof EtcdOptions>([
  'hosts', 'credentials', 'auth', 'grpcOptions', 'prefix', 'label', 'operationTimeoutMs', 'maxLeaseMs', 'clock',
]); // prettier-ignore
const AUTH_FIELDS: ReadonlySet<string> = new Set<keyof EtcdAuth>(['username', 'password']);
/** A day: no lock needs a longer lease. */
const MAX_LEASE_MS = 86_400_000;

/** Checks what was given to `etcd()`. Nothing is connected. @throws InvalidOptionError naming the field */
export function resolveEtcdOptions(given: string | EtcdOptions): EtcdSettings {
  const options: EtcdOptions = typeof given === 'string' ? { hosts: given } : given;
  checkFields('options', options, FIELDS);
  const { credentials, auth, grpcOptions, prefix = 'bedrock/', maxLeaseMs = 30_000 } = options;
  if (credentials !== undefined) checkCredentials(credentials);
  if (auth !== undefined) checkAuth(auth);
  if (grpcOptions !== undefined) checkObject('grpcOptions', grpcOptions);
  return Object.freeze({
    ...resolveSessionQueueOptions({ ...options, maxLeaseMs }, MAX_LEASE_MS),
    hosts: checkHosts(options.hosts),
    connection: Object.freeze({
      ...(credentials && { credentials }),
      ...(auth && { auth }),
      ...(grpcOptions && { grpcOptions }),
    }),
    prefix: checkKeyPrefix(prefix),
  });
}

function checkHosts(hosts: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(hosts) ? hosts : [hosts];
  if (list.length === 0) throw new InvalidOptionError('hosts', 'at least one member', hosts);
  const schemes = new Set(
    list.map((host, i) => checkHost(Array.isArray(hosts) ? `hosts[${i}]` : 'hosts', host)),
  );
  if (schemes.size > 1) throw new InvalidOptionError('hosts', 'all with http: or all with https:', hosts);
  return Object.freeze([...(list as readonly string[])]);
}

/** Gives the scheme. Never shows a whole URL in an error: it may contain a password. */
function checkHost(field: string, host: unknown): string {
  const wanted = 'http://host:port or https://host:port';
  if (typeof host !== 'string') throw new InvalidOptionError(field, wanted, host);
  if (!URL.canParse(host)) throw new InvalidOptionError(field, wanted, `${host.slice(0, 10)}…`);
  const { protocol, hostname, username, pathname, search, hash } = new URL(host);
  const isPlain = username === '' && pathname === '/' && search === '' && hash === '' && !host.endsWith('/');
  if (!/^https?:$/.test(protocol) || hostname === '' || !isPlain)
    throw new InvalidOptionError(field, wanted, `${protocol}//${hostname}…`);
  return protocol;
}

// An error never shows a secret.
function checkCredentials(credentials: unknown): void {
  if (typeof credentials !== 'object' || credentials === null)
    throw new InvalidOptionError('credentials', 'an object with a rootCertificate', typeof credentials);
}

function checkAuth(auth: EtcdAuth): void {
  if (typeof auth !== 'object')
    throw new InvalidOptionError('auth', 'an object with username and password', typeof auth);
  checkFields('auth', auth, AUTH_FIELDS);
  for (const field of ['username', 'password'] as const) {
    const value: unknown = auth[field];
    if (typeof value !== 'string' || value === '')
      throw new InvalidOptionError(`auth.${field}`, 'a non-empty string', typeof value);
  }
}

function checkKeyPrefix(prefix: unknown): string {
  if (typeof prefix !== 'string' || prefix === '')
    throw new InvalidOptionError('prefix', 'a non-empty string', prefix);
  checkText('prefix', prefix);
  return prefix;
}
