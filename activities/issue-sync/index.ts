export { createReadFromHost, type IssueSyncDeps } from './read-from-host.ts';
