export { DatabaseBusy } from './database-busy.ts';
export { connectDatabase, type Database } from './database.ts';
export { inOrg } from './in-org.ts';
export { inSystem, inSystemFor, type Transaction } from './in-system.ts';
export { type Listed, MAX_PAGE_ROWS, type Page, readPage } from './page.ts';
export { readRecords } from './read-records.ts';
export { isDatabaseUnavailable, refersToRemoved, tookTooLong } from './unavailable.ts';
export { SecretBox } from './secret-box.ts';
export { onlyFor, type TenantDatabase } from './tenant-database.ts';
