export { EMPTY_ALLOWLISTS, type GroupAllowlists } from './allowlists.ts';
export { allowAssigned, HIDDEN_AGENT, hideAgents, isAgentHidden } from './hide-agents.ts';
export { isPermissionKey, namePermissions, PERMISSION_CATALOG, type PermissionKey } from './keys.ts';
export { type GroupLimits, type TokenBudget } from './limits.ts';
export { type GroupRules, mayRedirect, permits, type Policy, policyAllows, policyOf } from './policy.ts';
export { requireAllowed, requireMayAdd, requireMayRedirect } from './require-allowed.ts';
export {
  allowedIds,
  chooseChain,
  restrictAccounts,
  restrictAgent,
  restrictProjects,
  shownBy,
  UNREFERENCED,
} from './restrict.ts';
export { ROLES, type Role } from './roles.ts';
