export { ProviderAccount } from './provider-account.entity.ts';
export { coolDownAccount, disableAccount, clearAccount, touchAccount } from './account-condition.ts';
export {
  createProviderAccount,
  type Credentials,
  deletePrivateAccounts,
  deleteProviderAccount,
  discardTrial,
  discardTrialsOf,
  findProviderAccount,
  getProviderAccount,
  getTriedAccount,
  keepTrial,
  listProviderAccounts,
  lockProviderAccount,
  type NewProviderAccount,
  openCredentials,
  purgeProviderAccount,
  purgeTrials,
  requireRoomForAccount,
  restoreProviderAccount,
  updateProviderAccount,
} from './provider-accounts.ts';
export { accountsForTurn, type TurnAccount, type TurnAccounts } from './for-turn.ts';
export { listSharedAccounts } from './shared-accounts.ts';
export { listUsableAccounts } from './usable-accounts.ts';
