/** Engines of Bedrock's locks; each has its own rows in the scenarios E1 to E3. */
export const ENGINE_NAMES = ['redis', 'zookeeper', 'etcd', 'postgres', 'mysql'] as const;
export type EngineName = (typeof ENGINE_NAMES)[number];

export const ENGINE_TITLES: Readonly<Record<EngineName, string>> = {
  redis: 'Redis',
  zookeeper: 'ZooKeeper',
  etcd: 'etcd',
  postgres: 'PostgreSQL',
  mysql: 'MariaDB',
};
