export {
  type AccountUseRef,
  holdAccount,
  readStoredCredentials,
  releaseAccount,
  replaceCredentials,
} from './account-uses.ts';
export { ProviderAccount } from './provider-account.entity.ts';
export {
  clearAccount,
  clearFailure,
  coolDownAccount,
  disableAccount,
  noteFailure,
  touchAccount,
} from './account-condition.ts';
export {
  accountSecrets,
  createProviderAccount,
  type Credentials,
  deletePrivateAccounts,
  deleteProviderAccount,
  discardTrial,
  discardTrialsOf,
  findAccountOfName,
  findProviderAccount,
  getProviderAccount,
  getTriedAccount,
  keepTrial,
  listProviderAccounts,
  lockAnyAccount,
  lockProviderAccount,
  type NewProviderAccount,
  openCredentials,
  purgeProviderAccount,
  purgeTrials,
  requireRoomForAccount,
  restoreProviderAccount,
  sealCredentials,
  updateProviderAccount,
} from './provider-accounts.ts';
export { accountsForTurn, type TurnAccount, type TurnAccounts } from './for-turn.ts';
export { listSharedAccounts } from './shared-accounts.ts';
export {
  beginSignIn,
  completeSignIn,
  failSignIn,
  findSignIn,
  lockSignIn,
  openSignIn,
  type ProviderSignIn,
  providerSignInSecrets,
  purgeSignIns,
  readSignInById,
  sealSignIn,
  type SignInKey,
  type SignInRef,
  storeAddress,
  storeCode,
  storeSignedIn,
  takeCode,
  wantAnotherCode,
} from './sign-ins.ts';
export { listUsableAccounts } from './usable-accounts.ts';
