import { setTimeout as sleep } from 'node:timers/promises';
import type { SecretBox, TenantDatabase } from '../../../db/core/index.ts';
import {
  claimRenewal,
  forgetGrant,
  giveUpRenewal,
  type Grant,
  type IntegrationConnection,
  openGrant,
  readGranted,
  storeRenewal,
} from '../../../db/integrations/index.ts';
import { integrationKind, type Secrets, tokenSourceOf } from '../../../domain/integrations/index.ts';
import type { GuardedHttp } from '../../core/network/guarded-http.ts';
import { untilAborted } from '../../core/until-aborted.ts';
import { askForGrant } from './ask-for-grant.ts';
import { TokenFailure } from './token-failure.ts';

/** What tokens are renewed with. */
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

/** What the tokens of a request are to be. */
interface WantedGrant {
  /** The stored credentials. */
  readonly stored: Secrets;
  /** The access token that the service has just rejected, however good it looks; undefined when there is none. */
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
    if (read === undefined) throw new TokenFailure('unavailable', 'The integration was changed meanwhile; try again');
    // What another call was refused, this one is not asked for again.
    if (read.granted === null && current.granted !== null) throw signInAgain(current);
    current = { ...current, granted: read.granted };
  }
  throw new TokenFailure('unavailable', 'Another call is waiting for a token; try again later');
}

// It goes on when the call is interrupted: a refresh token may be good for one use, and the answer holds the next one.
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
