import type { Redis } from 'ioredis';
import type { Clock } from '../../../core/clock.js';
import { isNodeRedisClient, type RedisPlace, type SingleClient } from './clients.js';
import { IoredisLinks, loadIoredis } from '../clients/ioredis-links.js';
import type { LinkFactory } from '../connection/link.js';
import { NodeRedisLinks } from '../clients/node-redis-links.js';

/** Where one server is. */
export type ServerPlace = Pick<RedisPlace, 'url' | 'connection'> & { readonly client?: SingleClient };

/** Links to where the options lead, through the library of the given client, or else through ioredis. */
export function linksTo({ url, connection, client }: ServerPlace, clock: Clock): LinkFactory {
  if (client === undefined) {
    const options = { ...connection };
    return new IoredisLinks(() => loadIoredis(url, options), clock);
  }
  if (isNodeRedisClient(client)) return new NodeRedisLinks(client, clock);
  return new IoredisLinks(() => Promise.resolve(client as Redis), clock);
}
