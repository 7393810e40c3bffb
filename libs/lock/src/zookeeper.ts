export { zookeeper } from './backends/session-queue/zookeeper/zookeeper-backend.js';
export type {
  ZooKeeperAuth,
  ZooKeeperOptions,
} from './backends/session-queue/zookeeper/zookeeper-options.js';
