import type { EntityManager } from '@mikro-orm/postgresql';
import { findCatalogEntry } from '../../builtin/index.ts';
import { withOrgTransaction } from '../../db/core/index.ts';
import { requireRoom } from '../../db/orgs/index.ts';
import { findPolicy } from '../../db/permissions/index.ts';
import {
  findProviderAccount,
  lockProviderAccount,
  type ProviderAccount,
  requireRoomForAccount,
  restoreProviderAccount,
  updateProviderAccount,
} from '../../db/providers/index.ts';
import { toFields } from '../../domain/core/record-names.ts';
import type { OrgLimits } from '../../domain/orgs.ts';
import { requireVersion } from '../../domain/resources.ts';
import type { OrgCaller } from '../context/api-context.ts';
import { defineRoute } from '../http/define-route.ts';
import { idParams } from '../resources/id-fields.ts';
import {
  checkBaseUrl,
  checkChangesCanWork,
  checkCredentialsComeAlong,
  checkMayManage,
  checkMayMove,
  checkMayShare,
} from './rules.ts';
import { presentProvider } from './present-provider.ts';
import { providerChangesSchema, providerSchema } from './schema.ts';

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
    'A new `base_url` needs the credentials again: they are never sent to an address that their owner did not name with them.',
  params: idParams('provider_id'),
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
  params: idParams('provider_id'),
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
  // An owner who has left has no limit.
  if (policy === null) return;
  const isOwn = userId === caller.userId;
  await requireRoomForAccount(em, { orgId, userId }, policy.limits.maxProviderAccounts, { isOwn });
}
