export {
  apiUrlOf,
  authorizationHeaders,
  authorizationPath,
  gitUrlOf,
  isWithin,
  readAddressPath,
  siblingUrlOf,
} from './address.ts';
export {
  type CredentialField,
  type IntegrationKind,
  type KindOAuth,
  type KindTest,
  type KnownIntegration,
  SECRET_PLACES,
  type SecretPlace,
  type Secrets,
  type Settings,
  type TestRequest,
  WEB_SCHEMES,
} from './integration-kind.ts';
export { accessByKubeconfig, type ClusterAccess, kubeconfigIssue, readKubeconfig } from './kubeconfig.ts';
export {
  INTEGRATION_KIND_KEYS,
  integrationKind,
  type IntegrationKindKey,
  isSignedInWith,
  kindTest,
  type SignInKindKey,
} from './kinds/index.ts';
export { maskedValues } from './masked-values.ts';
export {
  appTokenUrl,
  authorizationUrl,
  oauthAddressesOf,
  requestFields,
  tokenSourceOf,
  usualScopes,
  withAccessToken,
} from './oauth.ts';
