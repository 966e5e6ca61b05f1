import { createHash, randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { withOrgTransaction } from '../../../db/core/transactions.ts';
import { beginSignIn, findSignInState, sealSignIn, type SignInState } from '../../../db/integrations/sign-ins.ts';
import { getIntegration, lockIntegration, openSecrets } from '../../../db/integrations/integrations.ts';
import type { Integration } from '../../../db/integrations/integration.entity.ts';
import { AppError } from '../../../domain/core/app-error.ts';
import { text } from '../../../domain/core/text.ts';
import { apiUrlOf } from '../../../domain/integrations/address.ts';
import { authorizationUrl, oauthAddressesOf, tokenSourceOf, usualScopes } from '../../../domain/integrations/oauth.ts';
import { integrationKind } from '../../../domain/integrations/kinds/index.ts';
import type { KindOAuth, Secrets } from '../../../domain/integrations/integration-kind.ts';
import { requireMayRedirect } from '../../../domain/permissions/restrict.ts';
import type { ApiContext } from '../../context/api-context.ts';
import { defineRoute } from '../../http/define-route.ts';
import { EXAMPLE_TIME, timestamp } from '../../http/fields.ts';
import { fieldIssue } from '../../http/problem.ts';

const MAX_SCOPES = 20;

const startSchema = z
  .strictObject({
    scopes: z.array(text(200).min(1)).max(MAX_SCOPES).default([]).meta({
      description: 'What agents may do afterwards, by the scope names of the kind; defaults to the usual ones',
    }),
  })
  .meta({ id: 'IntegrationSignInStart', examples: [{}] });

const startedSchema = z
  .object({
    authorize_url: z.string().meta({ description: 'Where the person signs in, in a browser' }),
    expires_at: timestamp.meta({ description: 'When the sign-in expires' }),
  })
  .meta({
    id: 'IntegrationSignIn',
    examples: [{ authorize_url: 'https://accounts.google.com/o/oauth2/v2/auth?...', expires_at: EXAMPLE_TIME }],
  });

/** Says where a person signs in with an integration. */
export const startSignInRoute = defineRoute({
  method: 'post',
  path: '/api/integrations/{integration_id}/oauth/start',
  resource: 'integrations',
  action: 'start_sign_in',
  access: 'integrations.manage',
  tag: 'Integrations',
  operationId: 'startIntegrationSignIn',
  summary: 'Start signing in with an integration; the response contains the address',
  description:
    'For integrations with `client_id` and `client_secret` (OAuth 2.0, authorization code with PKCE). The service redirects the person to `/api/integrations/oauth/callback`, whose page asks for confirmation and then finishes the sign-in, once, within ten minutes. The grant serves the agents of the whole organization. 409 for integrations without sign-in.',
  body: startSchema,
  errors: [409],
  response: { status: 200, schema: startedSchema },
  handler: async ({ caller, params: { integration_id: integrationId }, body }, context) => {
    const { orgId, userId } = caller;
    const { database, box } = context;
    return withOrgTransaction(database, orgId, async (em) => {
      const integration = await lockIntegration(em, integrationId);
      requireMayRedirect(caller, integration, 'integration');
      const { kind, oauth } = signInOf(integration);
      const scopes = body.scopes.length === 0 ? usualScopes(kind) : body.scopes;
      checkScopes(oauth, scopes);
      const [state, verifier] = [newState(orgId), randomBytes(32).toString('base64url')];
      const { connection } = integration;
      const [id, redirectUrl] = [uuidv7(), `${context.publicUrl}${CALLBACK_PATH}`];
      const sealed = sealSignIn(box, { orgId, id }, { verifier });
      const signIn = { id, orgId, integrationId, userId, connection, redirectUrl, sealed, state };
      const expiresAt = await beginSignIn(em, signIn);
      const { client_id: clientId = '' } = secretsOf(context, integration);
      const challenge = createHash('sha256').update(verifier).digest('base64url');
      const at = oauthAddressesOf({ kind: integration.kind, apiUrl: apiUrlOf(integration) })?.authorizeUrl ?? '';
      return {
        authorize_url: authorizationUrl(at, kind, { clientId, redirectUrl, scopes, state, challenge }),
        expires_at: expiresAt.toISOString(),
      };
    });
  },
});

function signInOf({ kind: key, credentialFields }: Integration) {
  const kind = integrationKind(key);
  if (kind.oauth !== undefined && tokenSourceOf(kind, credentialFields) === 'sign_in')
    return { kind, oauth: kind.oauth };
  const reason = kind.oauth === undefined ? `the kind ${key} has no sign-in` : 'it has no client_id and client_secret';
  throw new AppError('conflict', `Nobody signs in with this integration: ${reason}`);
}

function checkScopes({ scopes: known }: KindOAuth, scopes: readonly string[]): void {
  const names = known.map(({ name }) => name);
  const isKnown = scopes.every((scope) => names.includes(scope));
  if (!isKnown) throw fieldIssue('scopes', `must contain nothing but ${names.join(', ')}`);
}

function secretsOf({ box }: Pick<ApiContext, 'box'>, integration: Integration): Secrets {
  try {
    return openSecrets(box, integration);
  } catch (error) {
    const words = 'The credentials cannot be decrypted with the keys that the server has; give them again';
    throw new AppError('conflict', words, { cause: error });
  }
}

const STATE = /^(?<orgId>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.[\w-]{43}$/;

/**
 * Returns an unguessable state. It names the organization in which it is stored, the only one that is searched for it.
 */
function newState(orgId: string): string {
  return `${orgId}.${randomBytes(32).toString('base64url')}`;
}

/** Returns the organization that a state names; undefined when it is none of ours. */
export function orgOfState(state: string): string | undefined {
  return STATE.exec(state)?.groups?.['orgId'];
}

/** The path that services send people back to who have signed in with an integration. */
export const CALLBACK_PATH = '/api/integrations/oauth/callback';

const statusSchema = z
  .object({
    status: z.enum(['waiting', 'verifying', 'done', 'failed', 'expired']).meta({
      description:
        '`waiting`: for the person; `verifying`: tokens are being requested from the service; `failed`: `detail` says why; `expired`: not finished in time, or never started',
    }),
    detail: z.string().nullable().meta({ description: 'Why it failed, human-readable' }),
    expires_at: timestamp.nullable().meta({ description: 'When the sign-in expires; null when it has ended' }),
  })
  .meta({
    id: 'IntegrationSignInStatus',
    examples: [{ status: 'waiting', detail: null, expires_at: EXAMPLE_TIME }],
  });

/** Returns the status of the caller's sign-in. */
export const viewSignInRoute = defineRoute({
  method: 'get',
  path: '/api/integrations/{integration_id}/oauth/status',
  resource: 'integrations',
  action: 'view_sign_in',
  access: 'integrations.manage',
  tag: 'Integrations',
  operationId: 'getIntegrationSignIn',
  summary: "Get the status of the caller's sign-in with an integration",
  description: 'Poll until it is `done`, `failed` or `expired`.',
  response: { status: 200, schema: statusSchema },
  handler: async ({ caller: { orgId, userId }, params: { integration_id: integrationId } }, { database }) =>
    withOrgTransaction(database, orgId, async (em) => {
      const integration = await getIntegration(em, integrationId);
      return presentState(integration, await findSignInState(em, { orgId, integrationId, userId }));
    }),
});

function presentState({ signedInAt }: Integration, state: SignInState | undefined): z.input<typeof statusSchema> {
  const over = { detail: null, expires_at: null };
  if (state === undefined) return { status: signedInAt === null ? 'expired' : 'done', ...over };
  const { error, isOutdated, isExpired, isTaken, expiresAt } = state;
  if (error !== null) return { status: 'failed', ...over, detail: error };
  if (isOutdated) return { status: 'failed', ...over, detail: 'The integration was changed in the meantime' };
  if (isExpired) return { status: 'expired', ...over };
  return { status: isTaken ? 'verifying' : 'waiting', detail: null, expires_at: expiresAt.toISOString() };
}
