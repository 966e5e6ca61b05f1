import { withOrgTransaction } from '../../db/core/transactions.ts';
import { clearAccount, noteFailure } from '../../db/providers/account-condition.ts';
import { getProviderAccount } from '../../db/providers/provider-accounts.ts';
import { AppError } from '../../domain/core/app-error.ts';
import type { ProbeResult } from '../../workflows/short/contract.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { runProbe } from '../context/run-probe.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery } from '../http/fields.ts';
import { pageOf } from '../http/pages.ts';
import { offeredModelSchema, presentProbe, probeSchema } from './schema.ts';
import { checkMayManage } from './rules.ts';

/** Asks the provider of an account which models it offers. */
export const listModelsRoute = defineRoute({
  method: 'get',
  path: '/api/providers/{provider_id}/models',
  resource: 'providers',
  action: 'list_models',
  access: 'providers.manage',
  tag: 'Providers',
  operationId: 'listProviderModels',
  summary: 'List the models that the provider offers to the account',
  description:
    'At most 1,000, sorted by id. Some of them may not be chat models: few providers say. 502 when the provider could not be reached or has no list; `detail` says which.',
  query: pageQuery,
  errors: [502, 503],
  response: { status: 200, schema: offeredModelSchema.array() },
  handler: async ({ caller, params: { provider_id: accountId }, query, answerPage }, context) => {
    const { orgId, userId } = caller;
    const account = await withOrgTransaction(context.database, orgId, (em) => getProviderAccount(em, accountId));
    checkMayManage(caller, account);
    const input = { orgId, accountId, userId };
    const result = await runProbe(context, caller, { type: 'listProviderModels', input, failure });
    if (!result.ok) throw new AppError('upstream_failed', result.error);
    return [...answerPage(pageOf(result.models, query))];
  },
});

/** Makes one small call with an account. An account that responds becomes active again. */
export const testProviderRoute = defineRoute({
  method: 'post',
  path: '/api/providers/{provider_id}/test',
  resource: 'providers',
  action: 'test',
  access: 'providers.manage',
  tag: 'Providers',
  operationId: 'testProvider',
  summary: 'Test the account with one small call, and return its latency or what went wrong',
  description:
    'The call goes to the provider and may cost a few tokens. If it succeeds, the account becomes active again, even if it was cooling down or disabled; if it fails, `last_failure` says why.',
  errors: [503],
  response: { status: 200, description: 'The result of the call', schema: probeSchema },
  handler: async ({ caller, params: { provider_id: accountId }, authorizeAgain }, context) => {
    const { database } = context;
    const { orgId } = caller;
    const account = async () => withOrgTransaction(database, orgId, (em) => getProviderAccount(em, accountId));
    const tried = await account();
    checkMayManage(caller, tried);
    const result = await probeAccount(context, caller, accountId);
    if (!result.ok) {
      await noteFailure(database, { orgId, accountId, credentials: tried.credentials, reason: result.error });
    } else {
      // The call may take long enough for the caller to lose the right, or for the account to change hands.
      checkMayManage(await authorizeAgain(), await account());
      await clearAccount(database, { orgId, accountId });
    }
    return presentProbe(result);
  },
});

/** Makes one small call with an account. */
export async function probeAccount(context: ApiContext, caller: OrgCaller, accountId: string): Promise<ProbeResult> {
  const { orgId, userId } = caller;
  const input = { orgId, accountId, userId };
  return runProbe(context, caller, { type: 'probeProvider', input, failure });
}

const failure = 'The provider could not be called now; try again shortly';
