export { actionOf } from './action-name.ts';
export { AUDIT_OUTCOMES, type AuditEntry, type AuditOutcome } from './audit-entry.ts';
export { namedFields, namedIds } from './audited-fields.ts';
export { DenialBudget } from './denial-budget.ts';
