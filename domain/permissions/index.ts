export { ROLES, roleHolds, type PermissionKey, type Role } from './roles.ts';
