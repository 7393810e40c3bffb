export { documentLocks } from './swagger/document-locks.js';

// So that the compiler can name types of the main entry in programs that do not import it.
export type {} from './index.js';
