export { changeMemberRole, leaveOrg, removeMember } from './change-members.ts';
export { deleteAccount } from './delete-account.ts';
export { type DeletedOrg, deleteOrg, findDeletedOrgs, hasOrgRecord, purgeOrg } from './delete-org.ts';
export { registerUser } from './register-user.ts';
