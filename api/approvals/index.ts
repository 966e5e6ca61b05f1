export { approvalModesSchema } from './approval-modes.ts';
export { approvalRoutes } from './routes.ts';
export { approvalStatus, finalApprovalStatus } from './schema.ts';
