import { InvalidOptionError } from '../../../core/errors.js';
import { checkFields, checkWhole } from '../../../core/checks.js';
import type { Address } from './slot-map.js';

/**
 * A server of a cluster: `redis://user:password@host:port`, `rediss://…`, `valkey://…`,
 * `valkeys://…`, or host and port (6379 by default).
 */
export type ClusterAddress = string | { readonly host: string; readonly port?: number };

/** The credentials and the encryption that a URL asks for. */
export interface AccessOptions {
  readonly username?: string;
  readonly password?: string;
  readonly tls?: object;
}

const DEFAULT_PORT = 6_379;
const TLS: ReadonlySet<string> = new Set(['rediss:', 'valkeys:']);
const FIELDS: ReadonlySet<string> = new Set(['host', 'port']);

/** @throws InvalidOptionError naming the field; its text never contains a password */
export function parseServer(
  field: string,
  given: ClusterAddress,
): { address: Address; access: AccessOptions } {
  if (typeof given === 'string') return parseUrl(field, given);
  checkFields(field, given, FIELDS);
  const { host, port = DEFAULT_PORT } = given;
  if (typeof host !== 'string' || host === '')
    throw new InvalidOptionError(`${field}.host`, 'a name or an IP address', host);
  return { address: `${host}:${checkWhole(`${field}.port`, port, 1, 65_535)}`, access: {} };
}

function parseUrl(field: string, text: string): { address: Address; access: AccessOptions } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url !== undefined && /^\/?0?$/.test(url.pathname) && url.search === '';
  if (!isPlain || !/^(redis|valkey)s?:$/.test(url.protocol) || url.hostname === '') {
    const got = `${text.split(':', 1)[0]!.slice(0, 10)}…`;
    throw new InvalidOptionError(
      field,
      'redis://host:port, rediss://, valkey:// or valkeys://, without a path',
      got,
    );
  }
  const { hostname, port, username, password, protocol } = url;
  // The URL has an IPv6 address in brackets.
  const host = hostname.replace(/^\[|\]$/g, '');
  const access = {
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
    ...(TLS.has(protocol) && { tls: {} }),
  };
  return { address: `${host}:${port === '' ? DEFAULT_PORT : port}`, access };
}
