export { etcd } from './backends/session-queue/etcd/etcd-backend.js';
export type { EtcdAuth, EtcdOptions } from './backends/session-queue/etcd/etcd-options.js';
