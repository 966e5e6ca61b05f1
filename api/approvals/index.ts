export { approvalModesSchema, approvalStatus, finalApprovalStatus } from './schema.ts';
export { approvalRoutes } from './routes.ts';
