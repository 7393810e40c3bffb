export { redis } from './backends/redis/redis-backend.js';
export type { RedisOptions } from './backends/redis/redis-options.js';
export type { ReplicaAckOptions } from './backends/redis/replica-acks.js';
