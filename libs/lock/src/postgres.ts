export {
  lockInTransaction,
  type TransactionClient,
  type TransactionLockOptions,
} from './backends/postgres/advisory/transaction-lock.js';
export {
  postgresSession,
  type PostgresSessionOptions,
} from './backends/postgres/advisory/session-backend.js';
export { postgres, type PostgresBackend } from './backends/postgres/postgres-backend.js';
export type { PostgresOptions } from './backends/postgres/postgres-options.js';
