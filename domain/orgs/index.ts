export { isAtLeast, judgeRoleChange, mayGrant, refuseUnlessAbove } from './member-rules.ts';
