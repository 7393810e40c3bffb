export { findChromium } from './chromium.js';
export { newDataFolder } from './data-folder.js';
export { ensureServers, type Found, type Remedies } from './ensure-servers.js';
export { etcdCall, etcdStatus, type EtcdStatus } from './etcd-health.js';
export { startEtcdEnsemble, type EtcdEnsemble, type EtcdEnsembleOptions } from './etcd-ensemble.js';
export { startEtcd, type EtcdOptions } from './etcd.js';
export { freePort } from './free-port.js';
export { oneAtATime } from './one-at-a-time.js';
export { startMariadb, type MariadbOptions } from './mariadb.js';
export { startPgbouncer, type PgbouncerOptions } from './pgbouncer.js';
export { startPostgres, type PostgresOptions } from './postgres.js';
export { commandsWith } from './processes.js';
export { findPrograms, type Programs } from './programs.js';
export {
  findPromtool,
  startPrometheus,
  type PrometheusOptions,
  type PrometheusServer,
} from './prometheus.js';
export type { PrometheusSeries } from './prometheus-api.js';
export { startRedis, type RedisOptions } from './redis.js';
export { startCluster, type ClusterNode, type ClusterOptions, type RedisCluster } from './redis-cluster.js';
export { redisCommand, type RedisAddress, type RedisReply } from './redis-command.js';
export { startSentinels, type SentinelGroup, type SentinelOptions } from './redis-sentinels.js';
export type { RunningServer, ServerSource } from './running-server.js';
export { bashCompletion, type ServerName } from './server-needs.js';
export type { SlotMove } from './slot-move.js';
export { TcpProxy, startProxy, type Direction } from './tcp-proxy.js';
export { startZooKeeper, type ZooKeeperOptions } from './zookeeper.js';
export {
  startZooKeeperEnsemble,
  type ZooKeeperEnsemble,
  type ZooKeeperEnsembleOptions,
} from './zookeeper-ensemble.js';
export { zookeeperMode, zookeeperSays, type ZooKeeperMode } from './zookeeper-health.js';
