export { etcd } from './backends/etcd/etcd-backend.js';
export type { EtcdAuth, EtcdOptions } from './backends/etcd/etcd-options.js';
