export { type AssignableRecord, listAssignable, requireAssignable } from './assignable.ts';
export { budgetUsesOf, listMemberBudgets, type MemberUsage, readMemberUsage } from './usage.ts';
export {
  findGroupsOf,
  findPolicy,
  MEMBER_COLUMNS,
  MEMBER_OF_CHAT,
  type MemberRow,
  policyOfMember,
} from './for-turn.ts';
export { memberMay } from './member-may.ts';
export {
  createPermissionGroup,
  deletePermissionGroup,
  getPermissionGroup,
  type GroupWithMembers,
  isForcedChain,
  listPermissionGroups,
  lockPermissionGroup,
  type PermissionGroupFields,
  setGroupMembers,
  updatePermissionGroup,
} from './permission-groups.ts';
export { PermissionGroup } from './permission-group.entity.ts';
