export { mysql, type MysqlBackend } from './backends/mysql/mysql-backend.js';
export { mysqlSessions } from './backends/mysql/session/session-backend.js';
export {
  mysqlTransactionLocks,
  type MysqlTransaction,
  type MysqlTransactionLocks,
  type TransactionLockOptions,
} from './backends/mysql/transactions/transaction-locks.js';
export type {
  MysqlOptions,
  MysqlSessionOptions,
  MysqlTransactionOptions,
} from './backends/mysql/mysql-options.js';
