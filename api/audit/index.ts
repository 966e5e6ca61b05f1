export { AuditLog } from './audit-log.ts';
export { auditRoutes } from './routes.ts';
