export { ProviderAccount } from './provider-account.entity.ts';
export {
  createProviderAccount,
  type Credentials,
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
