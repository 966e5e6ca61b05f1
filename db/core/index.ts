export { DATABASE_CONNECTIONS, type Database, type PoolState } from './database.ts';
export { withOrgTransaction } from './with-org-transaction.ts';
export { withSystemTransaction, withSystemTransactionFor, type Transaction } from './with-system-transaction.ts';
export type { Payers } from './sql-pool.ts';
export { type Listed, MAX_PAGE_ROWS, type Page, readPage } from './page.ts';
export { afterCommit, type BoardNews, isCollecting, type RecordNews } from './after-commit.ts';
export {
  DatabaseBusy,
  isDatabaseAway,
  isDatabaseUnavailable,
  isForeignKeyViolation,
  isOtherDatabase,
  isSerializationFailure,
  isStatementTimeout,
} from './unavailable.ts';
export { type SealedRow, SecretBox, SecretColumn, UnreadableSecret, whyUnreadable } from './secret-box.ts';
export { onlyFor, type TenantDatabase } from './tenant-database.ts';
