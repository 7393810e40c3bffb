export { redis } from './backends/redis/redis-backend.js';
export type { ClusterAddress } from './backends/redis/configuration/cluster-address.js';
export type {
  IoredisCompatibleClient,
  RedisClient,
  RedisLocation,
  SingleClient,
} from './backends/redis/configuration/clients.js';
export type { NodeRedisClient } from './backends/redis/clients/node-redis-client.js';
export type { NodeRedisCluster } from './backends/redis/configuration/node-redis-cluster.js';
export type { RedisOptions } from './backends/redis/configuration/redis-options.js';
export type { NatMap } from './backends/redis/configuration/slot-map.js';
export type { ReplicaAckOptions } from './backends/redis/protocol/replica-acks.js';

// As in the main entry, for programs that do not import it.
export type {} from './index.js';
