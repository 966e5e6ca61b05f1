import type { EntityManager } from '@mikro-orm/postgresql';
import { withOrgTransaction } from '../../db/core/transactions.ts';
import { lockRights } from '../../db/orgs/memberships.ts';
import { requireRoom } from '../../db/orgs/require-room.ts';
import {
  createProviderAccount,
  discardTentativeAccount,
  findProviderAccount,
  keepTentativeAccount,
  lockProviderAccount,
  type NewProviderAccount,
  requireRoomForAccount,
  restoreProviderAccount,
  updateProviderAccount,
} from '../../db/providers/provider-accounts.ts';
import type { ProviderAccount } from '../../db/providers/provider-account.entity.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { toFields } from '../../domain/core/record-names.ts';
import { defineRoute } from '../http/define-route.ts';
import { isAdministrator } from '../access/policies.ts';
import { InvalidRequest } from '../http/problem.ts';
import {
  catalogEntryOf,
  checkBaseUrl,
  checkCanWork,
  checkChangesCanWork,
  checkCredentialsComeAlong,
  checkMayManage,
  checkMayMove,
  checkMayShare,
  usualAuthType,
} from './rules.ts';
import { newProviderSchema, presentProvider, providerChangesSchema, providerSchema } from './schema.ts';
import { probeAccount } from './ask-provider.ts';
import { findCatalogEntry } from '../../builtin/index.ts';
import { findPolicy } from '../../db/permissions/for-turn.ts';
import type { OrgLimits } from '../../domain/orgs.ts';
import { requireVersion } from '../../domain/resources.ts';

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
    "Accounts of members serve their owner's turns only, until an administrator shares them; accounts of administrators are shared unless `shared` is false. 422 when the account cannot work: credentials are missing or misnamed, the provider does not support the `auth_type`, or no model is given and the catalog has no default.",
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
    const added = await add(context, caller, { ...fields, authType, shared, isTentative: test });
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

/** The user who adds an account, with their rights at first and as they are by now. */
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
    await withOrgTransaction(context.database, orgId, (em) => discardTentativeAccount(em, account.id));
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
    // Others may have been added in the meantime.
    await requireRoom(em, caller.orgId, 'providers', orgLimits, { isNew: false });
    if (!(await lockRights(em, caller))) return undefined;
    await requireRoomForAccount(em, caller, caller.policy.limits.maxProviderAccounts);
    return keepTentativeAccount(em, id);
  });
}

/** Changes an account; credentials that are not given stay, unless the address changes. */
export const updateProviderRoute = defineRoute({
  method: 'patch',
  path: '/api/providers/{provider_id}',
  resource: 'providers',
  access: 'providers.manage',
  tag: 'Providers',
  operationId: 'updateProvider',
  summary: 'Change an account; new credentials or a new address make it active again',
  description:
    'A new `base_url` requires the credentials again: they are never sent to an address that their owner did not enter with them.',
  body: providerChangesSchema,
  errors: [403],
  response: { status: 200, schema: providerSchema },
  handler: async ({ caller, params: { provider_id: id }, body, expectedVersions }, { database, box, privateHosts }) => {
    const account = await withOrgTransaction(database, caller.orgId, async (em) => {
      const found = await lockProviderAccount(em, id);
      checkMayManage(caller, found);
      requireVersion(found, expectedVersions);
      checkMayShare(caller, found.shared, body.shared);
      checkMayMove(caller, found, body.base_url);
      if (body.base_url !== undefined) checkBaseUrl(findCatalogEntry(found.providerType), body.base_url, privateHosts);
      checkCredentialsComeAlong(found, body);
      checkChangesCanWork(found, body);
      return updateProviderAccount(em, box, found, toFields(providerChangesSchema, body));
    });
    return presentProvider(account, box);
  },
});

export const restoreProviderRoute = defineRoute({
  method: 'patch',
  path: '/api/providers/{provider_id}/restore',
  resource: 'providers',
  action: 'restore',
  access: 'providers.manage',
  tag: 'Providers',
  operationId: 'restoreProvider',
  summary: 'Restore a deleted account',
  errors: [403, 409],
  response: { status: 200, schema: providerSchema },
  handler: async ({ caller, params: { provider_id: id }, expectedVersions }, { database, box, orgLimits }) => {
    const restored = await withOrgTransaction(database, caller.orgId, async (em) => {
      const account = await findProviderAccount(em, id);
      checkMayManage(caller, account);
      if (account.deletedAt !== null) await requireRoomToRestore(em, { account, caller, orgLimits });
      return restoreProviderAccount(em, id, expectedVersions);
    });
    return presentProvider(restored, box);
  },
});

interface Restoring {
  readonly account: ProviderAccount;
  readonly caller: OrgCaller;
  readonly orgLimits: OrgLimits;
}

/** Checks that the organization may have the account, and that its owner may, who need not be the caller. */
async function requireRoomToRestore(em: EntityManager, { account, caller, orgLimits }: Restoring): Promise<void> {
  const { orgId, userId } = account;
  await requireRoom(em, orgId, 'providers', orgLimits, { isNew: false });
  if (userId === null) return;
  const policy = await findPolicy(em, { orgId, userId });
  // No limit applies to an owner who has left.
  if (policy === null) return;
  const isOwn = userId === caller.userId;
  await requireRoomForAccount(em, { orgId, userId }, policy.limits.maxProviderAccounts, { isOwn });
}
