export { usePendingApprovals } from './queries.ts';
