import { MemoryStore } from 'bedrock-lock/memory';
import { MemoryNumberStore } from '../store/memory.number.store.js';

/** What a server would share between applications, for those of one process. */
export class SharedMemory {
  readonly locks = new MemoryStore();
  readonly numbers = new MemoryNumberStore();
}
