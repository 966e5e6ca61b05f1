export { isAtLeast, evaluateRoleChange, mayGrant, rejectUnlessAbove } from './member-rules.ts';
export type { Membership } from './membership.ts';
export { DELETED_FACTOR, ON_LIMITS, type OrgLimits, orgLimitReached, parseOrgLimits } from './org-limits.ts';
export { roleHasChanged } from './role-has-changed.ts';
