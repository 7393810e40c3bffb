/** The environment of a process that is to start servers of its own, whatever serves the tests. */
export const NO_SERVERS: Readonly<Record<string, string>> = {
  REDIS_URL: '',
  ZOOKEEPER_URL: '',
  ETCD_URL: '',
  MYSQL_URL: '',
  POSTGRES_URL: '',
};
