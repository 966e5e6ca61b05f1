import { cancellationSignal } from '@temporalio/activity';
import type { Logger } from 'pino';
import type { Database } from '../../db/core/database.ts';
import {
  endSignIn,
  failSignIn,
  findSignIn,
  type IntegrationSignIn,
  openSignIn,
} from '../../db/integrations/sign-ins.ts';
import {
  findConnection,
  type IntegrationConnection,
  listConnectionsOfKind,
  noteCheck,
} from '../../db/integrations/connections.ts';
import { type Grant, sealGrant } from '../../db/integrations/grants.ts';
import { openSecrets } from '../../db/integrations/integrations.ts';
import { type Revocation, takeRevocation } from '../../db/integrations/revocations.ts';
import type { WorkOf } from '../../domain/core/due-work.ts';
import {
  INTEGRATION_KIND_KEYS,
  integrationKind,
  type IntegrationKindKey,
} from '../../domain/integrations/kinds/index.ts';
import { oauthAddressesOf } from '../../domain/integrations/oauth.ts';
import type { SignInInput, StoredResult } from '../../workflows/short/contract.ts';
import { OwnerSlots } from '../core/owner-slots.ts';
import { clientOf, endpointOf } from './current-grant.ts';
import { requestToken, revokeToken, TokenFailure } from './request-token.ts';
import { type TryDeps, tryOut } from './try-integration.ts';

/** The dependencies of sign-ins. */
export interface SignInDeps extends TryDeps {
  readonly database: Database;
  readonly log: Logger;
}

/**
 * Creates the activity that exchanges the code of a sign-in for tokens, stores these, and finds out whose they are.
 * Neither code nor token is in the workflow's history.
 */
export function createFinishIntegrationSignIn(deps: SignInDeps) {
  return async function finishIntegrationSignIn(input: SignInInput): Promise<StoredResult> {
    const { database, log } = deps;
    const signal = cancellationSignal();
    const signIn = await findSignIn(database, input);
    const integration = signIn && (await findConnection(database, signIn));
    if (signIn === undefined || integration?.connection !== signIn.connection) return { ok: false };
    try {
      await exchange(deps, signIn, integration, signal);
    } catch (error) {
      if (!(error instanceof TokenFailure)) throw error;
      log.info({ err: error, integrationId: integration.id }, 'a sign-in with an integration failed');
      await failSignIn(database, input, error.message);
      return { ok: false };
    }
    await noteAccount(deps, signIn, signal);
    return { ok: true };
  };
}

async function exchange(
  { database, box, http }: SignInDeps,
  signIn: IntegrationSignIn,
  integration: IntegrationConnection,
  signal: AbortSignal,
): Promise<void> {
  const { verifier, code = '' } = openSignIn(box, signIn);
  const form = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: signIn.redirectUrl,
    code_verifier: verifier,
  };
  const client = clientOf(integration, openSecrets(box, integration));
  const grant: Grant = await requestToken(http, { ...endpointOf(integration), form, client }, signal);
  if (!(await endSignIn(database, signIn, sealGrant(box, integration, grant))))
    throw new TokenFailure('refused', 'The integration was changed in the meantime, or the sign-in was started again');
}

// It shows at once whose account it is; what fails is seen again at the next test.
async function noteAccount(deps: SignInDeps, signIn: IntegrationSignIn, signal: AbortSignal): Promise<void> {
  const integration = await findConnection(deps.database, signIn);
  if (integration === undefined) return;
  const { hasAnswered, ...verdict } = await tryOut(integration, deps, signal);
  if (hasAnswered) await noteCheck(deps.database, signIn, { connection: integration.connection, ...verdict });
}

/**
 * Creates the activity that notifies a service, once, that a grant of an integration is no longer needed. An
 * unreachable service is not called again.
 */
export function createRevokeGrant(deps: SignInDeps) {
  const slots = new OwnerSlots();
  return async function revokeGrant(input: WorkOf<'grant-revocation'>): Promise<void> {
    const signal = cancellationSignal();
    await slots.run(deps.database, input.orgId, async () => endGrant(deps, input, signal));
  };
}

async function endGrant(deps: SignInDeps, ref: WorkOf<'grant-revocation'>, signal: AbortSignal): Promise<void> {
  const revocation = await takeRevocation(deps.database, deps.box, ref);
  if (revocation === undefined || (await isShared(deps, ref.orgId, revocation))) return;
  try {
    await revoke(deps, revocation, signal);
  } catch (error) {
    if (!(error instanceof TokenFailure)) throw error;
    deps.log.info({ err: error, orgId: ref.orgId }, 'a grant could not be revoked');
  }
}

async function revoke({ http }: SignInDeps, revocation: Revocation, signal: AbortSignal): Promise<void> {
  const { kind, clientId, clientSecret, token } = revocation;
  const url = oauthAddressesOf(revocation)?.revocationUrl;
  if (url === undefined) return;
  const client = clientOf({ kind }, { client_id: clientId, client_secret: clientSecret });
  await revokeToken(http, { url, service: integrationKind(kind).name, form: { token }, client }, signal);
}

/**
 * Returns whether another integration has a grant to the same client: services such as Google's end all that a person
 * has granted to a client at once.
 */
async function isShared({ database, box }: SignInDeps, orgId: string, ended: Revocation): Promise<boolean> {
  const all = await listConnectionsOfKind(database, orgId, kindsAt(ended.kind));
  return all.some((each) => {
    if (each.granted === null || oauthAddressesOf(each)?.tokenUrl !== oauthAddressesOf(ended)?.tokenUrl) return false;
    try {
      return openSecrets(box, each)['client_id'] === ended.clientId;
    } catch {
      return false;
    }
  });
}

function kindsAt(kind: IntegrationKindKey): readonly IntegrationKindKey[] {
  const tokenUrl = integrationKind(kind).oauth?.tokenUrl;
  return INTEGRATION_KIND_KEYS.filter((key) => integrationKind(key).oauth?.tokenUrl === tokenUrl);
}
