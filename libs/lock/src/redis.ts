export { redis } from './backends/redis/redis-backend.js';
export type { RedisOptions } from './backends/redis/configuration/redis-options.js';
export type { ReplicaAckOptions } from './backends/redis/protocol/replica-acks.js';
