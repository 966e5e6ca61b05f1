export { createRemoveOrgFiles, createRemoveOrgRecords, type PurgeDeps } from './purge-org.ts';
