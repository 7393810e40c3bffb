export { etcd } from './backends/session-queue/etcd/etcd-backend.js';
export type { EtcdAuth, EtcdOptions } from './backends/session-queue/etcd/etcd-options.js';
export type { SessionQueueOptions } from './backends/session-queue/session-queue-options.js';

// As in the main entry, for programs that do not import it.
export type {} from './index.js';
