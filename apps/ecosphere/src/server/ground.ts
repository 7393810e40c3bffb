import type { SharedMemory } from './shared-memory.js';

/** Where a run takes place: the server, or the memory, that all its processes share. */
export type Ground =
  | { readonly kind: 'memory'; readonly memory: SharedMemory }
  | {
      readonly kind: 'redis';
      readonly url: string;
      /** Put before every key, so that two runs on one server never meet. */
      readonly prefix: string;
    };
