export {
  findConnection,
  findConnectionByName,
  findConnectionOfKind,
  findHeldKinds,
  findKnownIntegrations,
  type IntegrationConnection,
  listConnectionsOfKind,
  noteCheck,
  noteUse,
} from './connections.ts';
export {
  claimRenewal,
  forgetGrant,
  type Grant,
  giveUpRenewal,
  openGrant,
  readGranted,
  sealGrant,
  storeRenewal,
} from './grants.ts';
export { Integration } from './integration.entity.ts';
export {
  createIntegration,
  deleteIntegration,
  getIntegration,
  type IntegrationChanges,
  type IntegrationFields,
  listIntegrations,
  lockIntegration,
  updateIntegration,
} from './integrations.ts';
export {
  findOverdueRevocations,
  keepRevocation,
  purgeRevocations,
  type Revocation,
  takeRevocation,
} from './revocations.ts';
export { openSecrets } from './secrets.ts';
export {
  beginSignIn,
  describeSignIn,
  endSignIn,
  failSignIn,
  findSignIn,
  findSignInState,
  type IntegrationSignIn,
  openSignIn,
  purgeSignIns,
  sealSignIn,
  type SignInRequest,
  type SignInState,
  storeAnswer,
  takeSignIn,
} from './sign-ins.ts';
export { findIntegrationProblems } from './tool-problems.ts';
