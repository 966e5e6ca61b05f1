import type { EntityManager } from '@mikro-orm/postgresql';
import { withOrgTransaction } from '../../db/core/index.ts';
import { requireRoom } from '../../db/orgs/index.ts';
import { findPolicy } from '../../db/permissions/index.ts';
import {
  findProviderAccount,
  type ProviderAccount,
  requireRoomForAccount,
  restoreProviderAccount,
} from '../../db/providers/index.ts';
import type { OrgLimits } from '../../domain/orgs/index.ts';
import type { OrgCaller } from '../context/api-context.ts';
import { defineRoute } from '../http/define-route.ts';
import { idParams } from '../resources/id-fields.ts';
import { presentProvider } from './present-provider.ts';
import { checkMayManage } from './rules.ts';
import { providerSchema } from './schema.ts';

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
