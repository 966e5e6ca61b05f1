export { ALLOWLIST_NAMES, type AllowlistName, type GroupAllowlists } from './allowlists.ts';
export { isArea, isPermissionKey, PERMISSION_CATALOG, type PermissionKey } from './keys.ts';
export { type GroupLimits, type TokenBudget } from './limits.ts';
export { type PermissionGroup, permits, type Policy, policyAllows, policyOf } from './policy.ts';
export { ROLES, roleHolds, type Role } from './roles.ts';
