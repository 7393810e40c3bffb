export { mysql, type MysqlBackend } from './backends/sql/mysql/mysql-backend.js';
export { mysqlSessions } from './backends/sql/mysql/session/session-backend.js';
export {
  mysqlTransactionLocks,
  type MysqlTransaction,
  type MysqlTransactionLocks,
  type MysqlTransactionLockOptions,
} from './backends/sql/mysql/transactions/transaction-locks.js';
export type {
  MysqlLocation,
  MysqlOptions,
  MysqlSessionOptions,
  MysqlTransactionOptions,
} from './backends/sql/mysql/mysql-options.js';
export type { SqlOptions } from './backends/sql/sql-options.js';

// As in the main entry, for programs that do not import it.
export type {} from './index.js';
