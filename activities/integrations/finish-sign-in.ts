import { cancellationSignal } from '@temporalio/activity';
import type { Logger } from 'pino';
import type { Database } from '../../db/core/index.ts';
import {
  endSignIn,
  failSignIn,
  findConnection,
  findSignIn,
  type Grant,
  type IntegrationConnection,
  type IntegrationSignIn,
  noteCheck,
  openSecrets,
  openSignIn,
  sealGrant,
} from '../../db/integrations/index.ts';
import type { SignInInput, StoredResult } from '../../workflows/short/contract.ts';
import { clientOf, endpointOf } from './tokens/ask-for-grant.ts';
import { requestToken } from './tokens/request-token.ts';
import { TokenFailure } from './tokens/token-failure.ts';
import { type TryDeps, tryOut } from './try-integration.ts';

/** The dependencies of sign-ins. */
export interface SignInDeps extends TryDeps {
  readonly database: Database;
  readonly log: Logger;
}

/**
 * Makes the activity that exchanges what a person has come back with for tokens, stores these, and looks whose they
 * are. Neither code nor token stands in the workflow's history.
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
    throw new TokenFailure('refused', 'The integration was changed meanwhile, or the sign-in was begun again');
}

// It shows at once whose account it is; what fails is seen again at the next test.
async function noteAccount(deps: SignInDeps, signIn: IntegrationSignIn, signal: AbortSignal): Promise<void> {
  const integration = await findConnection(deps.database, signIn);
  if (integration === undefined) return;
  const { hasAnswered, ...verdict } = await tryOut(integration, deps, signal);
  if (hasAnswered) await noteCheck(deps.database, signIn, { connection: integration.connection, ...verdict });
}
