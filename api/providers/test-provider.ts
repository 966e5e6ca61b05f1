import { inOrg } from '../../db/core/index.ts';
import { clearAccount, getProviderAccount } from '../../db/providers/index.ts';
import { hurryWaitingTurns } from '../../db/turns/index.ts';
import { AppError } from '../../domain/core/app-error.ts';
import type { ProbeResult } from '../../workflows/providers/contract.ts';
import { runProviderProbe } from '../../workflows/providers/client.ts';
import { defineRoute } from '../core/define-route.ts';
import { idParams } from '../core/fields.ts';
import { requireAllowed } from '../core/require-allowed.ts';
import { presentProbe } from './present-provider.ts';
import { checkMayManage } from './rules.ts';
import { probeSchema } from './schema.ts';

/**
 * Makes one small call with an account. The api itself reaches no provider: a short workflow makes the call. An account
 * that answers is active again, whatever was held against it.
 */
export const testProviderRoute = defineRoute({
  method: 'post',
  path: '/api/providers/{provider_id}/test',
  access: 'providers.manage',
  tag: 'Providers',
  summary: 'Make one small call with the account, and tell how long it took or what went wrong',
  params: idParams('provider_id'),
  errors: [503],
  response: { status: 200, schema: probeSchema },
  handler: async ({ caller, params: { provider_id: accountId } }, { database, temporal, probes, log }) => {
    requireAllowed(caller, 'providerIds', accountId);
    const { orgId, userId } = caller;
    checkMayManage(caller, await inOrg(database, orgId, (em) => getProviderAccount(em, accountId)));
    const leave = probes.enter(caller);
    const result = await runProviderProbe(temporal, { orgId, accountId, userId })
      .finally(leave)
      .catch((error: unknown): ProbeResult => {
        log.warn({ err: error }, 'provider test could not be made');
        throw new AppError('unavailable', 'The test could not be made now; try again shortly', {
          cause: error,
          retryAfterSeconds: 5,
        });
      });
    if (result.ok) {
      await clearAccount(database, { orgId, accountId });
      await hurryWaitingTurns(database, orgId);
    }
    return presentProbe(result);
  },
});
