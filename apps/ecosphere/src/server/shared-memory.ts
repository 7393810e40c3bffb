import { MemoryStore } from 'bedrock-lock/memory';
import { MemoryNumberStore } from '../store/memory.number.store.js';

/** Stands in for a server, for the applications of one process. */
export class SharedMemory {
  readonly locks = new MemoryStore();
  readonly numbers = new MemoryNumberStore();
}
