import { withOrgTransaction } from '../../db/core/index.ts';
import { getProviderAccount } from '../../db/providers/index.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { runShort } from '../../workflows/short/client.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery } from '../http/fields.ts';
import { pageOf } from '../http/pages.ts';
import { idParams } from '../resources/id-fields.ts';
import { askThroughEngine } from './ask-through-engine.ts';
import { checkMayManage } from './rules.ts';
import { offeredModelSchema } from './schema.ts';

/** Asks the provider of an account which models it offers. */
export const listModelsRoute = defineRoute({
  method: 'get',
  path: '/api/providers/{provider_id}/models',
  resource: 'providers',
  action: 'list_models',
  access: 'providers.manage',
  tag: 'Providers',
  operationId: 'listProviderModels',
  summary: 'Ask the provider which models it offers to the account',
  description:
    'At most 1,000, sorted by id. Some of them may not be for conversations: few providers tell. 502 says why the provider could not be asked, or that it has no list.',
  params: idParams('provider_id'),
  query: pageQuery,
  errors: [502, 503],
  response: { status: 200, schema: offeredModelSchema.array() },
  handler: async ({ caller, params: { provider_id: accountId }, query, answerPage }, context) => {
    const { orgId, userId } = caller;
    const account = await withOrgTransaction(context.database, orgId, (em) => getProviderAccount(em, accountId));
    checkMayManage(caller, account);
    const input = { orgId, accountId, userId };
    const result = await askThroughEngine(context, caller, async (temporal) =>
      runShort(temporal, 'listProviderModels', input),
    );
    if (!result.ok) throw new AppError('upstream_failed', result.error);
    return [...answerPage(pageOf(result.models, query))];
  },
});
