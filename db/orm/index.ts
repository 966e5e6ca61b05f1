export { connectDatabase } from './connect.ts';
export { FOLLOW_FAILED } from './follow-consequences.ts';
export { notMigrated, pendingMigrations } from '../migrations/pending-migrations.ts';
