export { memory, type MemoryOptions } from './backends/memory/memory-backend.js';
export { MemoryStore } from './backends/memory/memory-store.js';
