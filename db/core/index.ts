export { DATABASE_CONNECTIONS, type Database, onlyFor, type PoolState, type TenantDatabase } from './database.ts';
export {
  type Transaction,
  withOrgTransaction,
  withSystemTransaction,
  withSystemTransactionFor,
} from './transactions.ts';
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
export { keyIdOf, type SealedRow, SecretBox, SecretColumn, UnreadableSecret, whyUnreadable } from './secret-box.ts';
