export { mysql, type MysqlBackend } from './backends/sql/mysql/mysql-backend.js';
export { mysqlSessions } from './backends/sql/mysql/session/session-backend.js';
export {
  mysqlTransactionLocks,
  type MysqlTransaction,
  type MysqlTransactionLocks,
  type MysqlTransactionLockOptions,
} from './backends/sql/mysql/transactions/transaction-locks.js';
export type {
  MysqlOptions,
  MysqlSessionOptions,
  MysqlTransactionOptions,
} from './backends/sql/mysql/mysql-options.js';
