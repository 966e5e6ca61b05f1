import { setTimeout as sleep } from 'node:timers/promises';
import type { SecretBox } from '../../db/core/secret-box.ts';
import type { TenantDatabase } from '../../db/core/database.ts';
import {
  claimRenewal,
  forgetGrant,
  giveUpRenewal,
  type Grant,
  openGrant,
  readGranted,
  storeRenewal,
} from '../../db/integrations/grants.ts';
import type { IntegrationConnection } from '../../db/integrations/connections.ts';
import { readGoogleServiceAccount } from '../../domain/core/google-service-account.ts';
import { appTokenUrl, oauthAddressesOf, tokenSourceOf, usualScopes } from '../../domain/integrations/oauth.ts';
import { integrationKind } from '../../domain/integrations/kinds/index.ts';
import type { Secrets } from '../../domain/integrations/integration-kind.ts';
import { untilAborted } from '../core/cancellation.ts';
import { googleAssertionForm } from '../core/google-tokens.ts';
import type { GuardedHttp } from '../core/network/guarded-http.ts';
import { type OAuthClient, requestToken, TokenFailure } from './request-token.ts';

/** The dependencies of renewing tokens. */
export interface TokenDeps {
  readonly database: TenantDatabase;
  readonly box: SecretBox;
  readonly http: GuardedHttp;
}

/** A token is renewed when it ends within this time: a request that is sent with it takes a while. */
const MARGIN_MS = 60_000;

/** The longest time that a renewal takes. */
const RENEWAL_MS = 15_000;

/** Longer than that: a worker that dies in the middle blocks others no longer than that. */
const LEASE_SECONDS = 25;
const WAIT_MS = 40_000;
const POLL_MS = 200;

/** The requirements of a request on its tokens. */
interface WantedGrant {
  /** The stored credentials. */
  readonly stored: Secrets;
  /** The access token that the service has just rejected, however valid it seems; undefined when there is none. */
  readonly rejected: string | undefined;
}

/**
 * Returns the tokens of an integration that are good for a request, renewed where they end soon or were rejected: once,
 * however many calls of whichever workers notice. Those that were rejected are returned as they are where there is
 * nothing to renew them with. Throws `TokenFailure`.
 */
export async function currentGrant(
  deps: TokenDeps,
  integration: IntegrationConnection,
  { stored, rejected }: WantedGrant,
  signal: AbortSignal,
): Promise<Grant> {
  const { database, box } = deps;
  const deadline = Date.now() + WAIT_MS;
  let current = integration;
  while (Date.now() < deadline) {
    const grant = current.granted === null ? undefined : opened(box, current, current.granted);
    if (grant !== undefined && isGood(grant, current, { stored, rejected })) return grant;
    if (await claimRenewal(database, current, LEASE_SECONDS)) {
      const renewal = renew(deps, current, { stored, former: grant });
      // Its failure is nobody's when the call was interrupted.
      renewal.catch(() => undefined);
      return untilAborted(renewal, signal);
    }
    // Another call is at it.
    await sleep(POLL_MS, undefined, { signal });
    const read = await readGranted(database, current);
    if (read === undefined)
      throw new TokenFailure('unavailable', 'The integration was changed in the meantime; try again');
    // A token that another call was refused is not requested again.
    if (read.granted === null && current.granted !== null) throw signInAgain(current);
    current = { ...current, granted: read.granted };
  }
  throw new TokenFailure('unavailable', 'Another call is waiting for a token; try again later');
}

// It continues when the call is interrupted: a refresh token may be good for one use, and the answer contains the next
// one.
async function renew(
  { database, box, http }: TokenDeps,
  integration: IntegrationConnection,
  { stored, former }: { readonly stored: Secrets; readonly former: Grant | undefined },
): Promise<Grant> {
  try {
    const grant = await askForGrant(http, { integration, stored, former }, AbortSignal.timeout(RENEWAL_MS));
    await storeRenewal(database, box, integration, grant);
    return grant;
  } catch (error) {
    if (!(error instanceof TokenFailure) || error.kind !== 'ended') {
      await giveUpRenewal(database, integration).catch(() => undefined);
      throw error;
    }
    const failure = signInAgain(integration);
    await forgetGrant(database, integration, failure.message);
    throw failure;
  }
}

function isGood(grant: Grant, integration: IntegrationConnection, { stored, rejected }: WantedGrant): boolean {
  if (grant.accessToken !== rejected) return isFresh(grant, integration);
  const source = tokenSourceOf(integrationKind(integration.kind), Object.keys(stored));
  return source === 'sign_in' && grant.refreshToken === undefined;
}

function isFresh({ expiresAt, subject }: Grant, { settings }: IntegrationConnection): boolean {
  if (subject !== undefined && subject !== settings['subject']) return false;
  return expiresAt === undefined || expiresAt > Date.now() + MARGIN_MS;
}

function opened(box: SecretBox, integration: IntegrationConnection, granted: Buffer): Grant {
  try {
    return openGrant(box, integration, granted);
  } catch (error) {
    const words = 'What was granted cannot be decrypted with the keys that the server has; sign in again';
    throw new TokenFailure('refused', words, { cause: error });
  }
}

function signInAgain({ name }: IntegrationConnection): TokenFailure {
  const words = `The sign-in of the integration ${name} has ended: somebody has to sign in again`;
  return new TokenFailure('ended', words);
}

/** The request for new tokens of an integration. */
interface GrantRequest {
  readonly integration: Pick<IntegrationConnection, 'kind' | 'apiUrl' | 'settings'>;
  /** The stored credentials. */
  readonly stored: Secrets;
  /** The tokens there are; undefined while there are none. */
  readonly former: Grant | undefined;
}

/** Asks the service of an integration for new tokens. Throws `TokenFailure`. */
async function askForGrant(http: GuardedHttp, request: GrantRequest, signal: AbortSignal): Promise<Grant> {
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
  // A service that gives no other refresh token continues to accept this one.
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
