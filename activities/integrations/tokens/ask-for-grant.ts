import type { Grant, IntegrationConnection } from '../../../db/integrations/index.ts';
import { readGoogleServiceAccount } from '../../../domain/core/google-service-account.ts';
import {
  integrationKind,
  oauthAddressesOf,
  type Secrets,
  tokenSourceOf,
  usualScopes,
} from '../../../domain/integrations/index.ts';
import { googleAssertionForm } from '../../core/google-assertion.ts';
import type { GuardedHttp } from '../../core/network/guarded-http.ts';
import { type OAuthClient, requestToken } from './request-token.ts';
import { TokenFailure } from './token-failure.ts';

/** What new tokens of an integration are asked for with. */
interface GrantRequest {
  readonly integration: Pick<IntegrationConnection, 'kind' | 'apiUrl' | 'settings'>;
  /** The stored credentials. */
  readonly stored: Secrets;
  /** The tokens there are; undefined while there are none. */
  readonly former: Grant | undefined;
}

/** Asks the service of an integration for new tokens. Throws `TokenFailure`. */
export async function askForGrant(http: GuardedHttp, request: GrantRequest, signal: AbortSignal): Promise<Grant> {
  const { integration, stored } = request;
  const source = tokenSourceOf(integrationKind(integration.kind), Object.keys(stored));
  return source === 'service_account' ? assert(http, request, signal) : refresh(http, request, signal);
}

async function refresh(
  http: GuardedHttp,
  { integration, stored, former }: GrantRequest,
  signal: AbortSignal,
): Promise<Grant> {
  const { service, url } = endpointOf(integration);
  if (former?.refreshToken === undefined) throw new TokenFailure('ended', `The sign-in at ${service} has ended`);
  const form = { grant_type: 'refresh_token', refresh_token: former.refreshToken };
  const given = await requestToken(http, { service, url, form, client: clientOf(integration, stored) }, signal);
  // A service that gives no other refresh token goes on to take this one.
  return { ...given, refreshToken: given.refreshToken ?? former.refreshToken };
}

async function assert(http: GuardedHttp, { integration, stored }: GrantRequest, signal: AbortSignal): Promise<Grant> {
  const { service, url } = endpointOf(integration);
  const account = readGoogleServiceAccount(stored['service_account_json']);
  if (account === undefined) throw new TokenFailure('refused', 'The key file is not that of a service account');
  const { subject } = integration.settings;
  const form = await googleAssertionForm(account, {
    audience: url,
    scopes: usualScopes(integrationKind(integration.kind)),
    subject,
    now: Date.now(),
  });
  if (form === undefined) throw new TokenFailure('refused', 'The private key of the service account cannot be used');
  const given = await requestToken(http, { service, url, form }, signal).catch((error: unknown) => {
    if (!(error instanceof TokenFailure) || error.kind === 'unavailable') throw error;
    throw new TokenFailure('refused', `${service} does not take the key of the service account`, { cause: error });
  });
  return { ...given, subject };
}

/** Returns the client of an integration with which people sign in. */
export function clientOf({ kind }: Pick<IntegrationConnection, 'kind'>, stored: Secrets): OAuthClient {
  const authentication = integrationKind(kind).oauth?.clientAuthentication ?? 'form';
  return { id: stored['client_id'] ?? '', secret: stored['client_secret'] ?? '', authentication };
}

/** Returns the endpoint that gives tokens for an integration, and the name of its service. */
export function endpointOf(integration: Pick<IntegrationConnection, 'kind' | 'apiUrl'>): {
  readonly service: string;
  readonly url: string;
} {
  const service = integrationKind(integration.kind).name;
  const addresses = oauthAddressesOf(integration);
  if (addresses === undefined) throw new TokenFailure('refused', `Nobody signs in at ${service}`);
  return { service, url: addresses.tokenUrl };
}
