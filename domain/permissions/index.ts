export {
  EMPTY_ALLOWLISTS,
  type GroupAllowlists,
  type GroupLimits,
  type GroupRules,
  mayRedirect,
  permits,
  type Policy,
  policyAllows,
  policyOf,
  type TokenBudget,
} from './policy.ts';
export {
  allowAssigned,
  allowedIds,
  chooseChain,
  HIDDEN_AGENT,
  hideAgents,
  isAgentHidden,
  requireAllowed,
  requireMayAdd,
  requireMayRedirect,
  restrictAccounts,
  restrictAgent,
  restrictProjects,
  shownBy,
  UNREFERENCED,
} from './restrict.ts';
export { isPermissionKey, namePermissions, PERMISSION_CATALOG, type PermissionKey, type Role, ROLES } from './keys.ts';
