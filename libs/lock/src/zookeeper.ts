export { zookeeper } from './backends/session-queue/zookeeper/zookeeper-backend.js';
export type {
  ZooKeeperAuth,
  ZooKeeperOptions,
} from './backends/session-queue/zookeeper/zookeeper-options.js';
export type { SessionQueueOptions } from './backends/session-queue/session-queue-options.js';

// As in the main entry, for programs that do not import it.
export type {} from './index.js';
