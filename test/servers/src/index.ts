export { startRedis, type RedisOptions } from './redis.js';
export type { RunningServer, ServerSource } from './running-server.js';
export { TcpProxy, startProxy, type Direction } from './tcp-proxy.js';
