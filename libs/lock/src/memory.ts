export { memory, type MemoryOptions } from './backends/memory/memory-backend.js';
export { MemoryStore } from './backends/memory/memory-store.js';

// As in the main entry, for programs that do not import it.
export type {} from './index.js';
