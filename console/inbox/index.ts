export { type Approval, usePendingApprovals } from './queries.ts';
