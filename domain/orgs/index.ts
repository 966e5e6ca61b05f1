export { isAtLeast, evaluateRoleChange, mayGrant, rejectUnlessAbove } from './member-rules.ts';
export type { Membership } from './membership.ts';
export { DELETED_FACTOR, type OrgLimits, parseOrgLimits } from './org-limits.ts';
export { roleHasChanged } from './role-has-changed.ts';
