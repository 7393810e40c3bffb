import { UsageError } from './usage-error.js';

/** Where the locks are. */
export type BackendAddress =
  | { readonly engine: 'redis'; readonly url: string }
  /** One URL for each server that is named; the others are found. */
  | { readonly engine: 'redis cluster'; readonly urls: readonly string[] }
  | {
      readonly engine: 'etcd';
      readonly hosts: readonly string[];
      readonly prefix: string;
      readonly user?: User;
    }
  | { readonly engine: 'zookeeper'; readonly connect: string; readonly user?: User }
  | { readonly engine: 'postgres'; readonly url: string }
  | { readonly engine: 'mysql'; readonly url: string }
  | CombinationAddress;

/** Nodes of a combination, as the applications that use it have them. */
export interface CombinationAddress {
  readonly engine: 'combination';
  readonly nodes: readonly { readonly id: string; readonly url: string }[];
  readonly minNodes: number;
  readonly maxLeaseMs: number;
}

interface User {
  readonly username: string;
  readonly password: string;
}

/** The parts of a URL that may name several hosts. */
interface Parts {
  readonly scheme: string;
  /** As it is written, with its `@`; empty where there is none. */
  readonly userInfo: string;
  readonly hosts: readonly string[];
  /** What follows the hosts, with its `/` or `?`. */
  readonly rest: string;
}

const DEFAULT_ETCD_PORT = 2_379;
const DEFAULT_ETCD_PREFIX = 'bedrock/';
const EXAMPLES =
  'redis://, rediss://, valkey://, valkeys://, etcd://, etcds://, zookeeper://, postgres:// or mysql://';

/**
 * Reads the URL of a backend. Several hosts in one URL, separated by commas, are one cluster or ensemble.
 * @throws UsageError; its text never contains more of the URL than the scheme, since the URL may contain a password
 */
export function parseBackendAddress(text: string): BackendAddress {
  const parts = splitUrl(text);
  switch (parts.scheme) {
    case 'redis':
    case 'rediss':
    case 'valkey':
    case 'valkeys':
      return redisAddress(parts, text);
    case 'etcd':
    case 'etcds':
      return etcdAddress(parts);
    case 'zookeeper':
      return zookeeperAddress(parts);
    case 'postgres':
    case 'postgresql':
      return { engine: 'postgres', url: text };
    case 'mysql':
    case 'mariadb':
      return { engine: 'mysql', url: text };
    default:
      throw new UsageError(`the URL must begin with ${EXAMPLES}; got ${parts.scheme}://`);
  }
}

function splitUrl(text: string): Parts {
  const match = /^([a-z][a-z0-9+]{0,19}):\/\/([^/?#]*)(.*)$/is.exec(text);
  if (match === null) throw new UsageError(`the URL must begin with ${EXAMPLES}`);
  const [, scheme = '', authority = '', rest = ''] = match;
  const at = authority.lastIndexOf('@') + 1;
  const hosts = authority.slice(at).split(',');
  if (hosts.includes(''))
    throw new UsageError(`the ${scheme}:// URL must name a host before and after each comma`);
  return { scheme: scheme.toLowerCase(), userInfo: authority.slice(0, at), hosts, rest };
}

function redisAddress({ scheme, userInfo, hosts, rest }: Parts, text: string): BackendAddress {
  if (hosts.length === 1) return { engine: 'redis', url: text.replace(/^\w+/, scheme) };
  if (rest !== '' && rest !== '/' && rest !== '/0')
    throw new UsageError(
      `a ${scheme}:// URL of a cluster must end after its hosts: a cluster has one database`,
    );
  return { engine: 'redis cluster', urls: hosts.map((host) => `${scheme}://${userInfo}${host}`) };
}

/** The path is what every key begins with. */
function etcdAddress({ scheme, userInfo, hosts, rest }: Parts): BackendAddress {
  if (/[?#]/.test(rest)) throw new UsageError(`the ${scheme}:// URL must end after its path`);
  const protocol = scheme === 'etcds' ? 'https' : 'http';
  const prefix = decodeText(scheme, rest.slice(1));
  return {
    engine: 'etcd',
    hosts: hosts.map((host) => `${protocol}://${/:\d+$/.test(host) ? host : `${host}:${DEFAULT_ETCD_PORT}`}`),
    prefix: prefix === '' ? DEFAULT_ETCD_PREFIX : prefix,
    ...userOf(scheme, userInfo),
  };
}

/** The path is the part of the tree that the application sees. */
function zookeeperAddress({ scheme, userInfo, hosts, rest }: Parts): BackendAddress {
  return {
    engine: 'zookeeper',
    connect: hosts.join(',') + (rest === '/' ? '' : rest),
    ...userOf(scheme, userInfo),
  };
}

function userOf(scheme: string, userInfo: string): { readonly user?: User } {
  if (userInfo === '') return {};
  const [, username, password] = /^([^:]+):(.+)@$/s.exec(userInfo) ?? [];
  if (username === undefined || password === undefined)
    throw new UsageError(
      `the ${scheme}:// URL must name a user and a password: ${scheme}://user:password@host`,
    );
  return { user: { username: decodeText(scheme, username), password: decodeText(scheme, password) } };
}

function decodeText(scheme: string, text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new UsageError(`user, password and path of the ${scheme}:// URL must be percent-encoded`);
  }
}
