export { getUser } from './get-user.ts';
export { emptySince, requireNoAccount, setupIsDone } from './first-account.ts';
export {
  deleteManagedUsers,
  detachUser,
  leaveActiveOrg,
  lockMembers,
  lockUser,
  releaseManagedUsers,
  setActiveOrg,
  settleUser,
} from './place-user.ts';
export { eraseUser, insertManagedUser, insertUser, removeAddress } from './store-user.ts';
export { updateUser } from './update-user.ts';
export { IS_MANAGED, IS_PASSWORDLESS } from './user.ts';
