import { withOrgTransaction } from '../../db/core/index.ts';
import { requireRoom } from '../../db/orgs/index.ts';
import {
  createProviderChain,
  deleteProviderChain,
  getProviderChain,
  listProviderChains,
  lockProviderChain,
  updateProviderChain,
} from '../../db/provider-chains/index.ts';
import { present, presenter, toFields } from '../../domain/core/record-names.ts';
import { requireVersion } from '../../domain/resources/index.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery } from '../http/fields.ts';
import { idParams } from '../resources/id-fields.ts';
import { checkMayBeDefault, checkMayChange } from './rules.ts';
import { newProviderChainSchema, providerChainChangesSchema, providerChainSchema } from './schema.ts';

const view = { resource: 'provider_chains', access: 'providers.view', tag: 'Providers' } as const;
const manage = { resource: 'provider_chains', access: 'providers.manage', tag: 'Providers' } as const;
const params = idParams('chain_id');

export const providerChainRoutes = [
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/providers/chains',
    operationId: 'listProviderChains',
    summary: 'The provider chains of the organization',
    query: pageQuery,
    response: { status: 200, schema: providerChainSchema.array() },
    handler: async ({ caller, query, allowedIds, answerPage }, { database }) => {
      return answerPage(await listProviderChains(database, caller.orgId, { ...query, onlyIds: allowedIds })).map(
        presenter(providerChainSchema),
      );
    },
  }),
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/providers/chains/{chain_id}',
    operationId: 'getProviderChain',
    summary: 'One provider chain',
    params,
    response: { status: 200, schema: providerChainSchema },
    handler: async ({ caller, params: { chain_id: id } }, { database }) => {
      return present(
        providerChainSchema,
        await withOrgTransaction(database, caller.orgId, (em) => getProviderChain(em, id)),
      );
    },
  }),
  defineRoute({
    ...manage,
    method: 'post',
    path: '/api/providers/chains',
    operationId: 'createProviderChain',
    summary: 'Add a provider chain; a new default replaces the former one',
    description:
      'A turn goes through the steps in their order until an account answers. Only administrators make a chain the default of the organization.',
    body: newProviderChainSchema,
    errors: [409],
    response: { status: 201, schema: providerChainSchema },
    handler: async ({ caller, body }, { database, orgLimits }) => {
      checkMayBeDefault(caller, body.is_default);
      const { orgId, userId: ownerId } = caller;
      const fields = { ...toFields(newProviderChainSchema, body), orgId, ownerId };
      const created = await withOrgTransaction(database, orgId, async (em) => {
        await requireRoom(em, orgId, 'chains', orgLimits);
        return createProviderChain(em, fields);
      });
      return present(providerChainSchema, created);
    },
  }),
  defineRoute({
    ...manage,
    method: 'patch',
    path: '/api/providers/chains/{chain_id}',
    operationId: 'updateProviderChain',
    summary: 'Change a provider chain; only the given fields change',
    params,
    body: providerChainChangesSchema,
    response: { status: 200, schema: providerChainSchema },
    handler: async ({ caller, params: { chain_id: id }, body, expectedVersions }, { database }) => {
      const place = { orgId: caller.orgId, id, becomesDefault: body.is_default === true };
      const changed = await withOrgTransaction(database, caller.orgId, async (em) => {
        const chain = await lockProviderChain(em, place);
        requireVersion(chain, expectedVersions);
        await checkMayChange(em, caller, chain);
        checkMayBeDefault(caller, body.is_default);
        return updateProviderChain(em, chain, toFields(providerChainChangesSchema, body));
      });
      return present(providerChainSchema, changed);
    },
  }),
  defineRoute({
    ...manage,
    method: 'delete',
    path: '/api/providers/chains/{chain_id}',
    operationId: 'deleteProviderChain',
    summary: 'Delete a provider chain; agents and chats that refer to it fall back',
    params,
    response: { status: 204 },
    handler: async ({ caller, params: { chain_id: id }, expectedVersions }, { database }) => {
      await withOrgTransaction(database, caller.orgId, async (em) => {
        const chain = await lockProviderChain(em, { orgId: caller.orgId, id });
        await checkMayChange(em, caller, chain);
        requireVersion(chain, expectedVersions);
        await deleteProviderChain(em, chain);
      });
    },
  }),
];
