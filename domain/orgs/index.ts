export { isAtLeast, judgeRoleChange, mayGrant, refuseUnlessAbove } from './member-rules.ts';
export { type OrgLimits, parseOrgLimits } from './org-limits.ts';
