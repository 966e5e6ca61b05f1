export { readAddressPath } from './address-path.ts';
export { apiUrlOf, gitUrlOf, isWithin, siblingUrlOf } from './address.ts';
export { authorizationHeaders, authorizationPath } from './authorization.ts';
export {
  type CredentialField,
  type IntegrationKind,
  type KindOAuth,
  type KindTest,
  WEB_SCHEMES,
} from './integration-kind.ts';
export { readKubeconfig } from './kubeconfig-file.ts';
export { accessByKubeconfig, type ClusterAccess, kubeconfigIssue } from './kubeconfig.ts';
export {
  INTEGRATION_KIND_KEYS,
  integrationKind,
  type IntegrationKindKey,
  isSignedInWith,
  kindTest,
  type SignInKindKey,
} from './kinds/index.ts';
export { maskedValues } from './masking/masked-values.ts';
export type { KnownIntegration, Secrets, Settings } from './known-integration.ts';
export {
  appTokenUrl,
  authorizationUrl,
  oauthAddressesOf,
  requestFields,
  tokenSourceOf,
  usualScopes,
  withAccessToken,
} from './oauth.ts';
export { SECRET_PLACES, type SecretPlace } from './secret-places.ts';
export type { TestRequest } from './test-request.ts';
