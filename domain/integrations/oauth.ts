import { gitUrlOf } from './address.ts';
import type { IntegrationKind, Secrets } from './integration-kind.ts';
import { integrationKind, type IntegrationKindKey } from './kinds/index.ts';

/** The addresses at which people sign in at a service, and tokens are had and given back. */
interface OAuthAddresses {
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  /** Undefined where tokens are not given back in the usual way. */
  readonly revocationUrl: string | undefined;
}

/**
 * How tokens for an integration are requested: with a person's grant, the key of a service account, or the credentials
 * of an application.
 */
type TokenSource = 'sign_in' | 'service_account' | 'application';

type TokenKind = Pick<IntegrationKind, 'oauth' | 'appAccess'>;

/** Returns what tokens are asked for with; undefined where the credentials of these names are sent as they are. */
export function tokenSourceOf({ oauth, appAccess }: TokenKind, stored: readonly string[]): TokenSource | undefined {
  if (appAccess?.fields.every((name) => stored.includes(name)) === true) return 'application';
  if (oauth === undefined) return undefined;
  if (stored.includes('client_id')) return 'sign_in';
  return stored.includes('service_account_json') ? 'service_account' : undefined;
}

/**
 * Returns the names of the credentials that requests may contain. A token replaces the credentials that it is requested
 * with, which are sent to nobody else.
 */
export function requestFields(kind: TokenKind, stored: readonly string[]): readonly string[] {
  const source = tokenSourceOf(kind, stored);
  if (source === undefined) return stored;
  const { oauth, appAccess } = kind;
  if (source !== 'application') return oauth === undefined ? [] : [oauth.tokenField];
  const { fields = [], tokenField = '' } = appAccess ?? {};
  return [tokenField, ...stored.filter((name) => name !== tokenField && !fields.includes(name))];
}

/**
 * Returns the credentials that requests contain, those of `requestFields`, with an access token instead of the
 * credentials that it was requested with.
 */
export function withAccessToken(kind: TokenKind, stored: Secrets, accessToken: string): Secrets {
  const [tokenField = '', ...others] = requestFields(kind, Object.keys(stored));
  return Object.fromEntries([[tokenField, accessToken], ...others.map((name) => [name, stored[name] ?? ''] as const)]);
}

/** The id of a tenant, or one of its domains. */
const TENANT = /^[A-Za-z0-9][A-Za-z0-9.-]{0,252}$/;

/** Returns the address at which an application asks for tokens; undefined when its credentials name no tenant. */
export function appTokenUrl({ appAccess }: Pick<IntegrationKind, 'appAccess'>, stored: Secrets): string | undefined {
  const { tenant_id: tenant = '' } = stored;
  return TENANT.test(tenant) ? appAccess?.tokenUrl.replace('{tenant_id}', tenant) : undefined;
}

/**
 * Returns the addresses of a kind's sign-in; undefined where nobody signs in. They are those of the kind, and of a code
 * host below its own pages.
 */
export function oauthAddressesOf(integration: {
  readonly kind: IntegrationKindKey;
  readonly apiUrl: string;
}): OAuthAddresses | undefined {
  const { oauth } = integrationKind(integration.kind);
  if (oauth === undefined) return undefined;
  const whole = (address: string) => (address.startsWith('/') ? `${gitUrlOf(integration) ?? ''}${address}` : address);
  return {
    authorizeUrl: whole(oauth.authorizeUrl),
    tokenUrl: whole(oauth.tokenUrl),
    revocationUrl: oauth.revocationUrl === undefined ? undefined : whole(oauth.revocationUrl),
  };
}

/** The parts of an address at which one person signs in. */
interface AuthorizationRequest {
  readonly clientId: string;
  readonly redirectUrl: string;
  readonly scopes: readonly string[];
  readonly state: string;
  /** The SHA-256 of the verifier that the code is exchanged with. */
  readonly challenge: string;
}

/** Returns the address at which a person signs in, with PKCE. */
export function authorizationUrl(
  authorizeUrl: string,
  { oauth }: Pick<IntegrationKind, 'oauth'>,
  { clientId, redirectUrl, scopes, state, challenge }: AuthorizationRequest,
): string {
  const url = new URL(authorizeUrl);
  const parameters = {
    ...oauth?.parameters,
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUrl,
    scope: scopes.join(oauth?.scopeSeparator ?? ' '),
    state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** Returns the scopes that are asked for unless others are chosen. */
export function usualScopes({ oauth }: Pick<IntegrationKind, 'oauth'>): readonly string[] {
  return (oauth?.scopes ?? []).flatMap(({ name, isUsual }) => (isUsual === true ? [name] : []));
}
