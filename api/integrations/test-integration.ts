import { withOrgTransaction } from '../../db/core/index.ts';
import { getIntegration } from '../../db/integrations/index.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { runShort } from '../../workflows/short/client.ts';
import type { CheckIntegrationResult } from '../../workflows/short/contract.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { defineRoute } from '../http/define-route.ts';
import { idParams } from '../resources/id-fields.ts';
import { integrationTestSchema } from './schema.ts';

/** Makes one small request with an integration. The api itself reaches no service: a short workflow makes it. */
export const testIntegrationRoute = defineRoute({
  method: 'post',
  path: '/api/integrations/{integration_id}/test',
  resource: 'integrations',
  action: 'test',
  access: 'integrations.manage',
  tag: 'Integrations',
  operationId: 'testIntegration',
  summary: 'Make one small request with the credentials, and return whether they work or what went wrong',
  description:
    'The integration keeps the result: `status`, `checked_at`, `error` and `account`. One of the kind `http` without a `test_request` is only reached, without its credentials.',
  params: idParams('integration_id'),
  errors: [503],
  response: { status: 200, description: 'The result of the request', schema: integrationTestSchema },
  handler: async ({ caller, params: { integration_id: integrationId } }, context) => {
    const find = async () =>
      withOrgTransaction(context.database, caller.orgId, (em) => getIntegration(em, integrationId));
    await find();
    const { ok, latencyMs } = await check(context, caller, integrationId);
    const { account, error } = await find();
    if (ok) return { ok, latency_ms: latencyMs, account, error: null };
    return { ok, latency_ms: latencyMs, account: null, error: error ?? 'The integration was changed meanwhile' };
  },
});

async function check(
  { temporal, probes, log }: ApiContext,
  caller: OrgCaller,
  integrationId: string,
): Promise<CheckIntegrationResult> {
  const { orgId, userId } = caller;
  const release = probes.acquire(caller);
  return runShort(temporal, 'checkIntegration', { orgId, integrationId, userId })
    .finally(release)
    .catch((error: unknown) => {
      log.warn({ err: error }, 'an integration could not be tested');
      throw new AppError('unavailable', 'The test could not be run now; try again shortly', {
        cause: error,
        retryAfterSeconds: 5,
      });
    });
}
