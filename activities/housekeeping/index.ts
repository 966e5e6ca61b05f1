export { createRunHousekeeping, type HousekeepingDeps } from './run-housekeeping.ts';
