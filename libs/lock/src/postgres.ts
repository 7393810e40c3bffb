export {
  lockInTransaction,
  type TransactionClient,
  type PostgresTransactionLockOptions,
} from './backends/sql/postgres/advisory/transaction-lock.js';
export {
  postgresSession,
  type PostgresSessionOptions,
} from './backends/sql/postgres/advisory/session-backend.js';
export { postgres, type PostgresBackend } from './backends/sql/postgres/postgres-backend.js';
export type { PostgresOptions } from './backends/sql/postgres/postgres-options.js';
export type { SqlOptions } from './backends/sql/sql-options.js';

// As in the main entry, for programs that do not import it.
export type {} from './index.js';
