export { connectDatabase, type Database } from './database.ts';
export { inOrg } from './in-org.ts';
export { inSystem, type Transaction } from './in-system.ts';
export { type Page, readRecords } from './read-records.ts';
export { isDatabaseUnavailable, refersToRemoved } from './unavailable.ts';
export { SecretBox } from './secret-box.ts';
