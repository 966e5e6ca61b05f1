export {
  emptySince,
  eraseUser,
  getUser,
  insertManagedUser,
  insertUser,
  IS_MANAGED,
  IS_PASSWORDLESS,
  removeAddress,
  requireNoAccount,
  setupIsDone,
  updateUser,
} from './user.ts';
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
