export { ProviderAccount } from './provider-account.entity.ts';
export { coolDownAccount, disableAccount, clearAccount, touchAccount } from './account-condition.ts';
export {
  createProviderAccount,
  deleteProviderAccount,
  findProviderAccount,
  getProviderAccount,
  listProviderAccounts,
  lockProviderAccount,
  openCredentials,
  type ProviderAccountFields,
  purgeProviderAccount,
  requireRoomForAccount,
  restoreProviderAccount,
  updateProviderAccount,
} from './provider-accounts.ts';
