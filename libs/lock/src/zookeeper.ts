export { zookeeper } from './backends/zookeeper/zookeeper-backend.js';
export type { ZooKeeperAuth, ZooKeeperOptions } from './backends/zookeeper/zookeeper-options.js';
