import { forgetForcedChain } from '../../db/permissions/index.ts';
import { inOrg } from '../../db/core/index.ts';
import { requireRoom } from '../../db/orgs/index.ts';
import {
  createProviderChain,
  deleteProviderChain,
  listProviderChains,
  lockProviderChain,
  updateProviderChain,
} from '../../db/provider-chains/index.ts';
import { defineRoute } from '../core/define-route.ts';
import { idParams, pageQuery } from '../core/fields.ts';
import { allowedIds, requireAllowed, requireUnlisted } from '../core/require-allowed.ts';
import { presentProviderChain, toChainFields } from './present-provider-chain.ts';
import { checkMayBeDefault, checkMayChange } from './rules.ts';
import { newProviderChainSchema, providerChainChangesSchema, providerChainSchema } from './schema.ts';

const view = { access: 'providers.view', tag: 'Providers' } as const;
const manage = { access: 'providers.manage', tag: 'Providers' } as const;
const params = idParams('chain_id');

export const providerChainRoutes = [
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/providers/chains',
    summary: 'The provider chains of the organization',
    query: pageQuery,
    response: { status: 200, schema: providerChainSchema.array() },
    handler: async ({ caller, query, answerPage }, { database }) => {
      const page = { ...query, onlyIds: allowedIds(caller, 'chainIds') };
      return answerPage(await listProviderChains(database, caller.orgId, page)).map(presentProviderChain);
    },
  }),
  defineRoute({
    ...manage,
    method: 'post',
    path: '/api/providers/chains',
    summary: 'Add a provider chain; a default one takes the place of the former default',
    body: newProviderChainSchema,
    errors: [409],
    response: { status: 201, schema: providerChainSchema },
    handler: async ({ caller, body }, { database, orgLimits }) => {
      requireUnlisted(caller, 'chainIds');
      checkMayBeDefault(caller, body.is_default);
      const { orgId, userId: ownerId } = caller;
      const fields = { orgId, ownerId, name: body.name, isDefault: body.is_default, steps: body.steps };
      await requireRoom(database, orgId, 'chains', orgLimits);
      return presentProviderChain(await inOrg(database, orgId, (em) => createProviderChain(em, fields)));
    },
  }),
  defineRoute({
    ...manage,
    method: 'patch',
    path: '/api/providers/chains/{chain_id}',
    summary: 'Change a provider chain; only the given fields change',
    params,
    body: providerChainChangesSchema,
    response: { status: 200, schema: providerChainSchema },
    handler: async ({ caller, params: { chain_id: id }, body }, { database }) => {
      requireAllowed(caller, 'chainIds', id);
      const place = { orgId: caller.orgId, id, becomesDefault: body.is_default === true };
      const changed = await inOrg(database, caller.orgId, async (em) => {
        const chain = await lockProviderChain(em, place);
        await checkMayChange(em, caller, chain);
        checkMayBeDefault(caller, body.is_default);
        return updateProviderChain(em, chain, toChainFields(body));
      });
      return presentProviderChain(changed);
    },
  }),
  defineRoute({
    ...manage,
    method: 'delete',
    path: '/api/providers/chains/{chain_id}',
    summary: 'Delete a provider chain; agents and chats that refer to it fall back',
    params,
    response: { status: 204 },
    handler: async ({ caller, params: { chain_id: id } }, { database }) => {
      requireAllowed(caller, 'chainIds', id);
      const place = { orgId: caller.orgId, id };
      await inOrg(database, caller.orgId, async (em) => {
        const chain = await lockProviderChain(em, place);
        await checkMayChange(em, caller, chain);
        await forgetForcedChain(em, place);
        await deleteProviderChain(em, chain);
      });
    },
  }),
];
