import { gitUrlOf } from './address.ts';
import type { IntegrationKind } from './integration-kind.ts';
import { type IntegrationKindKey, integrationKind } from './kinds/index.ts';

/** The addresses at which people sign in at a service, and tokens are had and given back. */
interface OAuthAddresses {
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  /** Undefined where tokens are not given back in the usual way. */
  readonly revocationUrl: string | undefined;
}

/** What tokens for an integration are asked for with: what a person has granted, or the key of a service account. */
type TokenSource = 'sign_in' | 'service_account';

/** Returns what tokens are asked for with; undefined where the credentials of these names are sent as they are. */
export function tokenSourceOf(
  { oauth }: Pick<IntegrationKind, 'oauth'>,
  stored: readonly string[],
): TokenSource | undefined {
  if (oauth === undefined) return undefined;
  if (stored.includes('client_id')) return 'sign_in';
  return stored.includes('service_account_json') ? 'service_account' : undefined;
}

/**
 * Returns the names of the credentials that requests may carry: a token stands in the place of what it is asked for
 * with, which goes to nobody else.
 */
export function requestFields(kind: Pick<IntegrationKind, 'oauth'>, stored: readonly string[]): readonly string[] {
  return kind.oauth === undefined || tokenSourceOf(kind, stored) === undefined ? stored : [kind.oauth.tokenField];
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
interface Authorization {
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
  { clientId, redirectUrl, scopes, state, challenge }: Authorization,
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
