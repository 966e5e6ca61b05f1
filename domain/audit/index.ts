export { actionOf } from './action-name.ts';
export { AUDIT_OUTCOMES, type AuditEntry, type AuditOutcome } from './audit-entry.ts';
export { DenialBudget } from './denial-budget.ts';
