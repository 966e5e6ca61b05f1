export { type AssignableRecord, listAssignable, requireAssignable } from './assignable.ts';
export { listMemberBudgets } from './budget-uses-of-members.ts';
export { findPolicy } from './find-policy.ts';
export { MEMBER_COLUMNS, MEMBER_OF_CHAT, type MemberRow, policyOfMember } from './for-turn.ts';
export { isForcedChain } from './forced-chain.ts';
export { findGroupsOf } from './groups-of.ts';
export { PermissionGroup } from './permission-group.entity.ts';
export {
  createPermissionGroup,
  deletePermissionGroup,
  getPermissionGroup,
  type GroupWithMembers,
  listPermissionGroups,
  lockPermissionGroup,
  type PermissionGroupFields,
  setGroupMembers,
  updatePermissionGroup,
} from './permission-groups.ts';
export { budgetUsesOf, type MemberUsage, readMemberUsage } from './usage.ts';
