export {
  findConnection,
  findConnectionByName,
  findConnectionOfKind,
  findHeldKinds,
  findIntegrationProblems,
  findKnownIntegrations,
  findToolProblems,
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
  integrationGrants,
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
  integrationSecrets,
  listIntegrations,
  lockIntegration,
  openSecrets,
  updateIntegration,
} from './integrations.ts';
export { listRemoteCandidates, type RemoteCandidate } from './remote-agents.ts';
export {
  findOverdueRevocations,
  keepRevocation,
  purgeRevocations,
  type Revocation,
  revocationSecrets,
  takeRevocation,
} from './revocations.ts';
export {
  beginSignIn,
  describeSignIn,
  endSignIn,
  failSignIn,
  findSignIn,
  findSignInState,
  type IntegrationSignIn,
  integrationSignInSecrets,
  openSignIn,
  purgeSignIns,
  sealSignIn,
  type SignInRequest,
  type SignInState,
  storeAnswer,
  takeSignIn,
} from './sign-ins.ts';
