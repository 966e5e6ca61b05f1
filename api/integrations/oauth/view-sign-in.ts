import { z } from 'zod';
import { withOrgTransaction } from '../../../db/core/index.ts';
import { findSignInState, getIntegration, type Integration, type SignInState } from '../../../db/integrations/index.ts';
import { defineRoute } from '../../http/define-route.ts';
import { EXAMPLE_TIME, timestamp } from '../../http/fields.ts';
import { idParams } from '../../resources/id-fields.ts';

const statusSchema = z
  .object({
    status: z.enum(['waiting', 'verifying', 'done', 'failed', 'expired']).meta({
      description:
        '`waiting`: for the person; `verifying`: the service is asked for tokens; `failed`: `detail` says why; `expired`: it was not finished in time, or none was begun',
    }),
    detail: z.string().nullable().meta({ description: 'Why it failed, in readable words' }),
    expires_at: timestamp.nullable().meta({ description: 'When it is too late to finish; null when it is over' }),
  })
  .meta({
    id: 'IntegrationSignInStatus',
    examples: [{ status: 'waiting', detail: null, expires_at: EXAMPLE_TIME }],
  });

/** Tells a person how the sign-in stands that they have begun. */
export const viewSignInRoute = defineRoute({
  method: 'get',
  path: '/api/integrations/{integration_id}/oauth/status',
  resource: 'integrations',
  action: 'view_sign_in',
  access: 'integrations.manage',
  tag: 'Integrations',
  operationId: 'getIntegrationSignIn',
  summary: "How the caller's sign-in with an integration stands",
  description: 'Ask again until it is `done`, `failed` or `expired`.',
  params: idParams('integration_id'),
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
  if (isOutdated) return { status: 'failed', ...over, detail: 'The integration was changed meanwhile' };
  if (isExpired) return { status: 'expired', ...over };
  return { status: isTaken ? 'verifying' : 'waiting', detail: null, expires_at: expiresAt.toISOString() };
}
