export { redis } from './backends/redis/redis-backend.js';
export type { RedisOptions } from './backends/redis/redis-options.js';
