export { changeMemberRole, leaveOrg, removeMember, registerUser } from './change-members.ts';
export { deleteAccount, deleteAccountIn } from './delete-account.ts';
export {
  type DeletedOrg,
  deleteOrg,
  findDeletedOrgs,
  findOrgsDeletedWith,
  hasOrgRecord,
  isPurged,
  purgeOrg,
} from './delete-org.ts';
