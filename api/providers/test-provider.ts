import { withOrgTransaction } from '../../db/core/index.ts';
import { clearAccount, getProviderAccount, noteFailure } from '../../db/providers/index.ts';
import { defineRoute } from '../http/define-route.ts';
import { idParams } from '../resources/id-fields.ts';
import { presentProbe } from './present-provider.ts';
import { probeAccount } from './probe-account.ts';
import { checkMayManage } from './rules.ts';
import { probeSchema } from './schema.ts';

/** Makes one small call with an account. An account that responds becomes active again. */
export const testProviderRoute = defineRoute({
  method: 'post',
  path: '/api/providers/{provider_id}/test',
  resource: 'providers',
  action: 'test',
  access: 'providers.manage',
  tag: 'Providers',
  operationId: 'testProvider',
  summary: 'Make one small call with the account, and return how long it took or what went wrong',
  description:
    'The call goes to the provider and may cost a few tokens. An account that replies becomes active again, even if it was cooling down or disabled; one that does not says so in `last_failure`.',
  params: idParams('provider_id'),
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
