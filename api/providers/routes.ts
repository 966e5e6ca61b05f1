import { providerCatalog } from '../../builtin/index.ts';
import { inOrg } from '../../db/core/index.ts';
import {
  createProviderAccount,
  deleteProviderAccount,
  findProviderAccount,
  listProviderAccounts,
  purgeProviderAccount,
  requireRoomForAccount,
  restoreProviderAccount,
} from '../../db/providers/index.ts';
import { requireRoom } from '../../db/orgs/index.ts';
import { hurryWaitingTurns } from '../../db/turns/index.ts';
import { defineRoute } from '../core/define-route.ts';
import { idParams, pageQuery } from '../core/fields.ts';
import { isAdministrator } from '../core/is-administrator.ts';
import { pageOf } from '../core/page-of.ts';
import { allowedIds, requireAllowed, requireUnlisted } from '../core/require-allowed.ts';
import { presentCatalogEntry, presentProvider } from './present-provider.ts';
import { catalogEntryOf, checkBaseUrl, checkMayManage, checkMayShare } from './rules.ts';
import { catalogEntrySchema, newProviderSchema, providerSchema } from './schema.ts';
import { testProviderRoute } from './test-provider.ts';
import { updateProviderRoute } from './update-provider.ts';

const view = { access: 'providers.view', tag: 'Providers' } as const;
const manage = { access: 'providers.manage', tag: 'Providers' } as const;
const params = idParams('provider_id');

export const providerRoutes = [
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/providers',
    summary: 'The provider accounts that the caller may use or manage',
    query: pageQuery,
    response: { status: 200, schema: providerSchema.array() },
    handler: async ({ caller, query, answerPage }, { database }) => {
      const selection = {
        ...query,
        onlyIds: allowedIds(caller, 'providerIds'),
        userId: isAdministrator(caller) ? undefined : caller.userId,
      };
      return answerPage(await listProviderAccounts(database, caller.orgId, selection)).map(presentProvider);
    },
  }),
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/providers/catalog',
    summary: 'The providers that accounts can be made for',
    query: pageQuery,
    response: { status: 200, schema: catalogEntrySchema.array() },
    handler: async ({ query, answerPage }) => answerPage(pageOf(providerCatalog, query)).map(presentCatalogEntry),
  }),
  defineRoute({
    ...manage,
    method: 'post',
    path: '/api/providers',
    summary: 'Add a provider account; its credentials are stored encrypted and never shown',
    body: newProviderSchema,
    errors: [409],
    response: { status: 201, schema: providerSchema },
    handler: async ({ caller, body }, { database, box, privateHosts, orgLimits }) => {
      requireUnlisted(caller, 'providerIds');
      checkMayShare(caller, false, body.shared);
      checkBaseUrl(catalogEntryOf(body.provider_type), body.base_url, privateHosts);
      await requireRoom(database, caller.orgId, 'providers', orgLimits);
      const account = await inOrg(database, caller.orgId, async (em) => {
        await requireRoomForAccount(em, caller, caller.policy.limits.maxProviderAccounts);
        return createProviderAccount(em, box, {
          orgId: caller.orgId,
          userId: caller.userId,
          providerType: body.provider_type,
          name: body.name,
          authType: body.auth_type,
          credentials: body.credentials,
          modelName: body.model_name,
          baseUrl: body.base_url,
          cooldownSeconds: body.cooldown_seconds,
          shared: body.shared ?? isAdministrator(caller),
        });
      });
      await hurryWaitingTurns(database, caller.orgId);
      return presentProvider(account);
    },
  }),
  updateProviderRoute,
  defineRoute({
    ...manage,
    method: 'delete',
    path: '/api/providers/{provider_id}',
    summary: 'Delete an account; it can be restored',
    params,
    errors: [403],
    response: { status: 204 },
    handler: async ({ caller, params: { provider_id: id } }, { database }) => {
      requireAllowed(caller, 'providerIds', id);
      await inOrg(database, caller.orgId, async (em) => {
        checkMayManage(caller, await findProviderAccount(em, id));
        await deleteProviderAccount(em, id);
      });
    },
  }),
  defineRoute({
    ...manage,
    method: 'delete',
    path: '/api/providers/{provider_id}/purge',
    summary: 'Delete an account for good, its credentials included',
    params,
    errors: [403],
    response: { status: 204 },
    handler: async ({ caller, params: { provider_id: id } }, { database }) => {
      requireAllowed(caller, 'providerIds', id);
      await inOrg(database, caller.orgId, async (em) => {
        checkMayManage(caller, await findProviderAccount(em, id));
        await purgeProviderAccount(em, id);
      });
    },
  }),
  defineRoute({
    ...manage,
    method: 'patch',
    path: '/api/providers/{provider_id}/restore',
    summary: 'Take the deletion of an account back',
    params,
    errors: [403, 409],
    response: { status: 200, schema: providerSchema },
    handler: async ({ caller, params: { provider_id: id } }, { database, orgLimits }) => {
      requireAllowed(caller, 'providerIds', id);
      await requireRoom(database, caller.orgId, 'providers', orgLimits, { isNew: false });
      const restored = await inOrg(database, caller.orgId, async (em) => {
        const account = await findProviderAccount(em, id);
        checkMayManage(caller, account);
        if (account.deletedAt !== null)
          await requireRoomForAccount(em, caller, caller.policy.limits.maxProviderAccounts);
        return restoreProviderAccount(em, id);
      });
      await hurryWaitingTurns(database, caller.orgId);
      return presentProvider(restored);
    },
  }),
  testProviderRoute,
];
