import { withOrgTransaction } from '../../db/core/index.ts';
import { lockRights, requireRoom } from '../../db/orgs/index.ts';
import {
  createProviderAccount,
  discardTrial,
  keepTrial,
  type NewProviderAccount,
  type ProviderAccount,
  requireRoomForAccount,
} from '../../db/providers/index.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { toFields } from '../../domain/core/record-names.ts';
import { defineRoute } from '../http/define-route.ts';
import { isAdministrator } from '../access/policies.ts';
import { InvalidRequest } from '../http/problem.ts';
import { catalogEntryOf, checkBaseUrl, checkCanWork, checkMayShare, usualAuthType } from './rules.ts';
import { presentProvider } from './present-provider.ts';
import { probeAccount } from './ask-provider.ts';
import { newProviderSchema, providerSchema } from './schema.ts';

/** Adds an account; with `test`, only when it responds. */
export const createProviderRoute = defineRoute({
  method: 'post',
  path: '/api/providers',
  resource: 'providers',
  access: 'providers.manage',
  tag: 'Providers',
  operationId: 'createProvider',
  summary: 'Add a provider account; its credentials are stored encrypted and never shown',
  description:
    'Accounts of members serve their own turns until an administrator shares them; accounts of administrators are shared unless `shared` is false. What cannot work is refused with 422: credentials that are missing or go by another name, an `auth_type` that the provider does not have, no model where the catalog knows none.',
  body: newProviderSchema,
  errors: [409],
  response: { status: 201, schema: providerSchema },
  handler: async ({ caller, body, authorizeAgain }, context) => {
    checkMayShare(caller, false, body.shared);
    const entry = catalogEntryOf(body.provider_type);
    const { test, shared = isAdministrator(caller), ...fields } = toFields(newProviderSchema, body);
    const authType = body.auth_type ?? usualAuthType(entry, fields.credentials);
    checkCanWork(entry, { ...fields, authType });
    checkBaseUrl(entry, fields.baseUrl, context.privateHosts);
    const added = await add(context, caller, { ...fields, authType, shared, onTrial: test });
    const account = body.test ? await tryOut(context, { caller, authorizeAgain }, added) : added;
    return presentProvider(account, context.box);
  },
});

async function add(
  { database, box, orgLimits }: ApiContext,
  caller: OrgCaller,
  fields: Omit<NewProviderAccount, 'orgId' | 'userId'>,
): Promise<ProviderAccount> {
  const { orgId, userId } = caller;
  return withOrgTransaction(database, orgId, async (em) => {
    await requireRoom(em, orgId, 'providers', orgLimits);
    await requireRoomForAccount(em, caller, caller.policy.limits.maxProviderAccounts);
    return createProviderAccount(em, box, { ...fields, orgId, userId });
  });
}

/** Who adds an account, as they were authorized at first and as they are by now. */
interface Maker {
  readonly caller: OrgCaller;
  readonly authorizeAgain: () => Promise<OrgCaller>;
}

/** Tests an account that is invisible until then: it is kept when it responds, and removed otherwise. */
async function tryOut(context: ApiContext, maker: Maker, account: ProviderAccount): Promise<ProviderAccount> {
  const { orgId } = maker.caller;
  try {
    const result = await probeAccount(context, maker.caller, account.id);
    // Ends when the rights were the same before and within the transaction, or no longer suffice.
    for (;;) {
      const caller = await maker.authorizeAgain();
      if (!result.ok) throw new InvalidRequest([{ type: 'provider_failed', loc: ['body'], msg: result.error }]);
      checkMayShare(caller, false, account.shared);
      const kept = await keep(context, caller, account.id);
      if (kept !== undefined) return kept;
    }
  } catch (error) {
    await withOrgTransaction(context.database, orgId, (em) => discardTrial(em, account.id));
    throw error;
  }
}

/** Keeps an account that has responded. Returns `undefined` when its maker's rights have changed once more. */
async function keep(
  { database, orgLimits }: ApiContext,
  caller: OrgCaller,
  id: string,
): Promise<ProviderAccount | undefined> {
  return withOrgTransaction(database, caller.orgId, async (em) => {
    // Others may have been added meanwhile.
    await requireRoom(em, caller.orgId, 'providers', orgLimits, { isNew: false });
    if (!(await lockRights(em, caller))) return undefined;
    await requireRoomForAccount(em, caller, caller.policy.limits.maxProviderAccounts);
    return keepTrial(em, id);
  });
}
