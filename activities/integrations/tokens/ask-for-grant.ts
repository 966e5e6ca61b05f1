import type { Grant, IntegrationConnection } from '../../../db/integrations/index.ts';
import { readGoogleServiceAccount } from '../../../domain/core/google-service-account.ts';
import {
  appTokenUrl,
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
  if (source === 'application') return askAsApp(http, request, signal);
  return source === 'service_account' ? assert(http, request, signal) : refresh(http, request, signal);
}

async function askAsApp(http: GuardedHttp, { integration, stored }: GrantRequest, signal: AbortSignal): Promise<Grant> {
  const kind = integrationKind(integration.kind);
  const url = appTokenUrl(kind, stored);
  if (url === undefined) throw new TokenFailure('refused', 'The tenant_id is neither the id of a tenant nor a domain');
  const form = { grant_type: 'client_credentials', scope: kind.appAccess?.scope ?? '' };
  const request = { service: kind.name, url, form, client: clientOf(integration, stored) };
  return requestToken(http, request, signal).catch((error: unknown) => {
    throw neverEnded(error, `${kind.name} does not take the credentials of the app`);
  });
}

// Nobody has signed in, so nobody can be asked to do it again.
function neverEnded(error: unknown, words: string): unknown {
  return error instanceof TokenFailure && error.kind === 'ended'
    ? new TokenFailure('refused', words, { cause: error })
    : error;
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
