export { changeMemberRole, leaveOrg, removeMember, registerUser } from './change-members.ts';
export { deleteAccount } from './delete-account.ts';
export { type DeletedOrg, deleteOrg, findDeletedOrgs, hasOrgRecord, isPurged, purgeOrg } from './delete-org.ts';
