export { createRemoveOrgFiles, createRemoveOrgRecords } from './purge-org.ts';
