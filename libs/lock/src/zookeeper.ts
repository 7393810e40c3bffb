export { zookeeper } from './backends/zookeeper/zookeeper-backend.js';
export type { NativeZooKeeper } from './backends/zookeeper/native-types.js';
export type { ZooKeeperAuth, ZooKeeperOptions } from './backends/zookeeper/zookeeper-options.js';
