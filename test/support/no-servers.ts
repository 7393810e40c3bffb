/** The environment of a process that must start its own servers, even if the tests have shared ones. */
export const NO_SERVERS: Readonly<Record<string, string>> = {
  REDIS_URL: '',
  ZOOKEEPER_URL: '',
  ETCD_URL: '',
  MYSQL_URL: '',
  POSTGRES_URL: '',
};
