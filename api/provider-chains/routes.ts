import { z } from 'zod';
import type { EntityManager } from '@mikro-orm/postgresql';
import { findCatalogEntry } from '../../builtin/index.ts';
import { keptVerbatim, present, presenter, toFields } from '../../domain/core/record-names.ts';
import { nameText } from '../../domain/core/text.ts';
import { pageQuery, timestamp } from '../http/fields.ts';
import { withOrgTransaction } from '../../db/core/transactions.ts';
import { requireRoom } from '../../db/orgs/require-room.ts';
import { isForcedChain } from '../../db/permissions/permission-groups.ts';
import {
  createProviderChain,
  deleteProviderChain,
  getProviderChain,
  listProviderChains,
  lockProviderChain,
  type ProviderChain,
  updateProviderChain,
} from '../../db/provider-chains.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { requireVersion } from '../../domain/resources.ts';
import { isAdministrator } from '../access/policies.ts';
import type { OrgCaller } from '../context/api-context.ts';
import { defineRoute } from '../http/define-route.ts';

const MAX_STEPS = 20;

const step = z
  .strictObject({
    provider_type: z
      .string()
      .min(1)
      .max(100)
      .refine((type) => findCatalogEntry(type) !== undefined, 'is not a key of the provider catalog'),
    model_name: nameText()
      .nullable()
      .default(null)
      .meta({ description: 'The model to use, as its provider names it; null leaves it to the account' }),
  })
  .meta({ id: 'ProviderChainStepCreate' });

const fields = {
  name: nameText(),
  is_default: z.boolean().meta({ description: 'Whether it serves turns without a chain of their own' }),
  steps: keptVerbatim(z.array(step).min(1).max(MAX_STEPS)).meta({
    description: 'The providers to try, in this order, until one answers',
  }),
};

const newProviderChainSchema = z.strictObject({ ...fields, is_default: fields.is_default.default(false) }).meta({
  id: 'ProviderChainCreate',
  examples: [
    { name: 'Cheap first', steps: [{ provider_type: 'openai', model_name: null }, { provider_type: 'anthropic' }] },
  ],
});

const providerChainChangesSchema = z
  .strictObject(fields)
  .partial()
  .meta({ id: 'ProviderChainUpdate', examples: [{ is_default: true }] });

const shownStep = z
  .object({ provider_type: z.string(), model_name: z.string().nullable() })
  .meta({ id: 'ProviderChainStep' });

const providerChainSchema = z
  .object({
    id: z.uuid(),
    owner_id: z.uuid().nullable().meta({ description: 'Who created it; null when unknown' }),
    name: z.string(),
    is_default: z.boolean(),
    steps: keptVerbatim(z.array(shownStep)),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'ProviderChain' });

const view = { resource: 'provider_chains', access: 'providers.view', tag: 'Providers' } as const;
const manage = { resource: 'provider_chains', access: 'providers.manage', tag: 'Providers' } as const;

export const providerChainRoutes = [
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/providers/chains',
    operationId: 'listProviderChains',
    summary: 'List the provider chains of the organization',
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
    summary: 'Get a provider chain',
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
      'A turn tries the steps in order until an account answers. Only administrators can make a chain the default of the organization.',
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
    body: providerChainChangesSchema,
    response: { status: 200, schema: providerChainSchema },
    handler: async ({ caller, params: { chain_id: id }, body, expectedVersions }, { database }) => {
      const ref = { orgId: caller.orgId, id, becomesDefault: body.is_default === true };
      const changed = await withOrgTransaction(database, caller.orgId, async (em) => {
        const chain = await lockProviderChain(em, ref);
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

/** Rejects a member's choice of the model for everybody's turns. */
function checkMayBeDefault(caller: OrgCaller, wanted: boolean | undefined): void {
  if (wanted !== true || isAdministrator(caller)) return;
  throw new AppError('forbidden', 'Only administrators (with settings.manage) can make a chain the default');
}

/**
 * Rejects a member's change or deletion of a chain that others rely on, or that restricts the member: changing it would
 * change the rule.
 */
async function checkMayChange(em: EntityManager, caller: OrgCaller, chain: ProviderChain): Promise<void> {
  if (isAdministrator(caller)) return;
  if (chain.ownerId !== caller.userId)
    throw new AppError('forbidden', 'Only its creator and administrators may change this provider chain');
  if (chain.isDefault) throw new AppError('forbidden', 'Only administrators may change the default provider chain');
  if (caller.policy.allowlists.chainIds !== 'all' || (await isForcedChain(em, chain.id)))
    throw new AppError('forbidden', 'A permission group names this provider chain: only administrators may change it');
}
