import { isIoredisClient, type RedisLocation } from './clients.js';

interface ServerAddressOptions {
  readonly host?: unknown;
  readonly port?: unknown;
  readonly path?: unknown;
  readonly db?: unknown;
  readonly name?: unknown;
  readonly sentinels?: unknown;
}

/** `host:port/database` of the one server in the options; '' if they do not name one. */
export function nodeIdOf({ url, connection, client }: RedisLocation): string {
  if (client === undefined) return textOf({ ...(url === undefined ? {} : partsOf(url)), ...connection });
  if (isIoredisClient(client))
    return textOf(('options' in client ? client.options : {}) as ServerAddressOptions);
  const options = (
    client as { readonly options?: { url?: string; database?: number; socket?: ServerAddressOptions } }
  ).options;
  const { url: given, database, socket } = options ?? {};
  return textOf({
    ...(given === undefined ? {} : partsOf(given)),
    ...socket,
    ...(database && { db: database }),
  });
}

function partsOf(url: string): ServerAddressOptions {
  if (url.startsWith('/')) return { path: url };
  const { hostname, port, pathname } = new URL(url);
  return { host: hostname, ...(port !== '' && { port }), db: pathname.slice(1) };
}

function textOf({ host, port, path, db, name, sentinels }: ServerAddressOptions): string {
  const database = Number(db) > 0 ? `/${Number(db)}` : '';
  if (Array.isArray(sentinels)) return typeof name === 'string' ? `${name}${database}` : '';
  if (typeof path === 'string' && path !== '') return `${path}${database}`;
  const isPort = typeof port === 'number' || (typeof port === 'string' && port !== '');
  return `${typeof host === 'string' ? host : 'localhost'}:${isPort ? port : 6_379}${database}`;
}
