export { ProviderAccount } from './provider-account.entity.ts';
export {
  createProviderAccount,
  deleteProviderAccount,
  findProviderAccount,
  getProviderAccount,
  listProviderAccounts,
  openCredentials,
  type ProviderAccountFields,
  purgeProviderAccount,
  restoreProviderAccount,
  updateProviderAccount,
} from './provider-accounts.ts';
