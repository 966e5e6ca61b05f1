import { providerCatalog } from '../../builtin/index.ts';
import { withOrgTransaction } from '../../db/core/transactions.ts';
import {
  deleteProviderAccount,
  getProviderAccount,
  listProviderAccounts,
  lockAnyAccount,
  purgeProviderAccount,
} from '../../db/providers/provider-accounts.ts';
import { readLacking } from '../../db/workers.ts';
import { CLI_PROVIDERS } from '../../domain/providers/credential-forms.ts';
import { requireVersion } from '../../domain/resources.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery, restorableQuery } from '../http/fields.ts';
import { checkMaySeeDeleted } from '../resources/versions.ts';
import { isAdministrator } from '../access/policies.ts';
import { pageOf } from '../http/pages.ts';
import { catalogEntrySchema, presentCatalogEntry, presentProvider, providerSchema } from './schema.ts';
import { createProviderRoute, restoreProviderRoute, updateProviderRoute } from './save-provider.ts';
import { listModelsRoute, testProviderRoute } from './ask-provider.ts';
import { checkMayManage, checkMaySee } from './rules.ts';
import { providerSignInRoutes } from './sign-in/routes.ts';

const view = { resource: 'providers', access: 'providers.view', tag: 'Providers' } as const;
const manage = { resource: 'providers', access: 'providers.manage', tag: 'Providers' } as const;

export const providerRoutes = [
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/providers',
    operationId: 'listProviders',
    summary: 'List the provider accounts that the caller may use or manage',
    query: restorableQuery,
    response: { status: 200, schema: providerSchema.array() },
    handler: async ({ caller, query, allowedIds, answerPage }, { database, box }) => {
      checkMaySeeDeleted(caller, query, 'providers.manage');
      const selection = {
        ...query,
        onlyIds: allowedIds,
        userId: isAdministrator(caller) ? undefined : caller.userId,
      };
      const listed = answerPage(await listProviderAccounts(database, caller.orgId, selection));
      return listed.map((account) => presentProvider(account, box));
    },
  }),
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/providers/catalog',
    action: 'view_catalog',
    operationId: 'listProviderCatalog',
    summary: 'List the providers that accounts can be created for',
    query: pageQuery,
    response: { status: 200, schema: catalogEntrySchema.array() },
    handler: async ({ query, answerPage }, { database }) => {
      const lacking = await readLacking(database, CLI_PROVIDERS);
      return answerPage(pageOf(providerCatalog, query)).map((entry) => presentCatalogEntry(entry, lacking));
    },
  }),
  createProviderRoute,
  ...providerSignInRoutes,
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/providers/{provider_id}',
    operationId: 'getProvider',
    summary: 'Get a provider account',
    response: { status: 200, schema: providerSchema },
    handler: async ({ caller, params: { provider_id: id } }, { database, box }) => {
      const account = await withOrgTransaction(database, caller.orgId, (em) => getProviderAccount(em, id));
      checkMaySee(caller, account);
      return presentProvider(account, box);
    },
  }),
  updateProviderRoute,
  defineRoute({
    ...manage,
    method: 'delete',
    path: '/api/providers/{provider_id}',
    operationId: 'deleteProvider',
    summary: 'Delete an account; it can be restored',
    errors: [403],
    response: { status: 204 },
    handler: async ({ caller, params: { provider_id: id }, expectedVersions }, { database }) => {
      await withOrgTransaction(database, caller.orgId, async (em) => {
        const account = await lockAnyAccount(em, id);
        checkMayManage(caller, account);
        requireVersion(account, expectedVersions);
        await deleteProviderAccount(em, id, caller.userId);
      });
    },
  }),
  defineRoute({
    ...manage,
    method: 'delete',
    path: '/api/providers/{provider_id}/purge',
    action: 'purge',
    operationId: 'purgeProvider',
    summary: 'Delete an account permanently, including its credentials',
    errors: [403],
    response: { status: 204 },
    handler: async ({ caller, params: { provider_id: id }, expectedVersions }, { database }) => {
      await withOrgTransaction(database, caller.orgId, async (em) => {
        const account = await lockAnyAccount(em, id);
        checkMayManage(caller, account);
        requireVersion(account, expectedVersions);
        await purgeProviderAccount(em, id);
      });
    },
  }),
  restoreProviderRoute,
  testProviderRoute,
  listModelsRoute,
];
