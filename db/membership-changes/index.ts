export { changeMemberRole, leaveOrg, removeMember } from './change-members.ts';
export { deleteAccount } from './delete-account.ts';
export { deleteOrg, type DeletedOrg } from './delete-org.ts';
export { findDeletedOrgs, hasOrgRecord, purgeOrg } from './purge-org.ts';
export { registerUser } from './register-user.ts';
