import type { Redis } from 'ioredis';
import type { Clock } from '../../../core/clock.js';
import { isNodeRedisClient, type RedisLocation, type SingleClient } from './clients.js';
import { IoredisLinks, loadIoredis } from '../clients/ioredis-links.js';
import type { LinkFactory } from '../connection/link.js';
import { NodeRedisLinks } from '../clients/node-redis-links.js';

/** Where one server is. */
export type ServerLocation = Pick<RedisLocation, 'url' | 'connection'> & { readonly client?: SingleClient };

/**
 * Links to the server of the options, through the library of the given client or through ioredis.
 */
export function linkFactoryFor({ url, connection, client }: ServerLocation, clock: Clock): LinkFactory {
  if (client === undefined) {
    const options = { ...connection };
    return new IoredisLinks(() => loadIoredis(url, options), clock);
  }
  if (isNodeRedisClient(client)) return new NodeRedisLinks(client, clock);
  return new IoredisLinks(() => Promise.resolve(client as Redis), clock);
}
