import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { EntityManager } from '@mikro-orm/postgresql';
import { findCatalogEntry } from '../../builtin/index.ts';
import { nameText, text } from '../../domain/core/text.ts';
import { EXAMPLE_ID, EXAMPLE_TIME, pageQuery, timestamp } from '../http/fields.ts';
import { idOf } from '../resources/id-fields.ts';
import { findAgentsOfProfile, renameProfileOfAgents } from '../../db/agents/references.ts';
import { withOrgTransaction } from '../../db/core/transactions.ts';
import {
  createModelProfile,
  deleteModelProfile,
  getModelProfile,
  listModelProfiles,
  lockModelProfile,
  type ModelProfile,
  type ModelProfileFields,
  resolveModelProfile,
  updateModelProfile,
} from '../../db/model-profiles.ts';
import { requireRoom } from '../../db/orgs/require-room.ts';
import { requireProviderChain } from '../../db/provider-chains.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { present, presenter, toFields } from '../../domain/core/record-names.ts';
import { shownBy } from '../../domain/permissions/restrict.ts';
import { requireVersion } from '../../domain/resources.ts';
import { isAdministrator } from '../access/policies.ts';
import type { OrgCaller } from '../context/api-context.ts';
import { defineRoute } from '../http/define-route.ts';
import { fieldIssue } from '../http/problem.ts';
import { rejectInUse } from '../resources/reject-in-use.ts';

const MAX_TAGS = 20;
const tag = nameText(50).refine((value) => !value.includes(','), 'must not contain a comma');

const fields = {
  name: nameText(100).meta({ description: 'Agents name it as `profile:<name>` in `model_pref`' }),
  description: text(5_000),
  provider_type: z
    .string()
    .min(1)
    .max(100)
    .refine((type) => findCatalogEntry(type) !== undefined, 'is not a key of the provider catalog')
    .nullable()
    .meta({ description: 'The provider type of the accounts to use; null for a profile with a chain' }),
  model_name: nameText()
    .nullable()
    .meta({ description: 'The model, as its provider names it; null leaves it to the account' }),
  provider_chain_id: idOf('provider_chains')
    .nullable()
    .meta({ description: 'The chain to use instead of a provider type and a model' }),
  tags: z.array(tag).max(MAX_TAGS).meta({ description: 'Kinds of work that it is meant for' }),
  priority: z
    .int()
    .min(-1_000)
    .max(1_000)
    .meta({ description: 'Among profiles that match equally many tags, the highest priority wins' }),
};

const newModelProfileSchema = z
  .strictObject({
    ...fields,
    description: fields.description.default(''),
    provider_type: fields.provider_type.default(null),
    model_name: fields.model_name.default(null),
    provider_chain_id: fields.provider_chain_id.default(null),
    tags: fields.tags.default([]),
    priority: fields.priority.default(0),
  })
  .meta({
    id: 'ModelProfileCreate',
    examples: [
      {
        name: 'Careful',
        provider_type: 'anthropic',
        model_name: 'claude-sonnet-5-5',
        tags: ['code', 'review'],
        priority: 10,
      },
      { name: 'Cheap', provider_chain_id: EXAMPLE_ID, tags: ['summary'] },
    ],
  });

const modelProfileChangesSchema = z
  .strictObject(fields)
  .partial()
  .meta({ id: 'ModelProfileUpdate', examples: [{ priority: 20 }] });

const modelProfileSchema = z
  .object({
    id: z.uuid(),
    owner_id: z.uuid().nullable().meta({ description: 'Who created it; null when unknown' }),
    ...fields,
    provider_type: z.string().nullable(),
    provider_chain_id: z.uuid().nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({
    id: 'ModelProfile',
    examples: [
      {
        id: EXAMPLE_ID,
        owner_id: EXAMPLE_ID,
        name: 'Careful',
        description: '',
        provider_type: 'anthropic',
        model_name: 'claude-sonnet-5-5',
        provider_chain_id: null,
        tags: ['code', 'review'],
        priority: 10,
        created_at: EXAMPLE_TIME,
        updated_at: EXAMPLE_TIME,
      },
    ],
  });

const resolveQuery = z.strictObject({
  tags: text(1_000)
    .transform((list) => list.split(',').flatMap((each) => each.trim() || []))
    .pipe(z.array(z.string()).min(1, 'must name a tag').max(MAX_TAGS))
    .meta({
      type: 'string',
      minLength: 1,
      description: 'Kinds of work, separated by commas',
      examples: ['code,review'],
    }),
});

const view = { resource: 'model_profiles', access: 'providers.view', tag: 'Providers' } as const;
const manage = { resource: 'model_profiles', access: 'providers.manage', tag: 'Providers' } as const;

export const modelProfileRoutes = [
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/model-profiles',
    operationId: 'listModelProfiles',
    summary: 'List the model profiles of the organization',
    query: pageQuery,
    response: { status: 200, schema: modelProfileSchema.array() },
    handler: async ({ caller, query, answerPage }, { database }) =>
      answerPage(await listModelProfiles(database, caller.orgId, query)).map(presenter(modelProfileSchema)),
  }),
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/model-profiles/resolve',
    action: 'resolve',
    operationId: 'resolveModelProfile',
    summary: 'Get the model profile that matches kinds of work best',
    description:
      'Returns the profile that matches the most tags; ties go to the highest priority, then to the oldest. 404 when none matches any of them.',
    query: resolveQuery,
    errors: [404],
    response: { status: 200, schema: modelProfileSchema },
    handler: async ({ caller, query: { tags } }, { database }) =>
      present(
        modelProfileSchema,
        await withOrgTransaction(database, caller.orgId, (em) => resolveModelProfile(em, tags)),
      ),
  }),
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/model-profiles/{profile_id}',
    operationId: 'getModelProfile',
    summary: 'Get a model profile',
    response: { status: 200, schema: modelProfileSchema },
    handler: async ({ caller, params: { profile_id: id } }, { database }) =>
      present(modelProfileSchema, await withOrgTransaction(database, caller.orgId, (em) => getModelProfile(em, id))),
  }),
  defineRoute({
    ...manage,
    method: 'post',
    path: '/api/model-profiles',
    operationId: 'createModelProfile',
    summary: 'Add a model profile',
    description:
      'A profile names a provider type and a model, or a provider chain. 409 when another one has the same name.',
    body: newModelProfileSchema,
    errors: [404, 409],
    response: { status: 201, schema: modelProfileSchema },
    handler: async ({ caller, body }, { database, orgLimits }) => {
      const { orgId, userId: ownerId } = caller;
      const fields = toFields(newModelProfileSchema, body);
      const created = await withOrgTransaction(database, orgId, async (em) => {
        await checkChain(em, fields);
        checkChoice(fields);
        await requireRoom(em, orgId, 'modelProfiles', orgLimits);
        return createModelProfile(em, { ...fields, orgId, ownerId });
      });
      return present(modelProfileSchema, created);
    },
  }),
  defineRoute({
    ...manage,
    method: 'patch',
    path: '/api/model-profiles/{profile_id}',
    operationId: 'updateModelProfile',
    summary: 'Change a model profile; only the given fields change',
    description:
      'Turns use the changed profile from their next step on. Agents that name it follow a change of its name.',
    body: modelProfileChangesSchema,
    errors: [409],
    response: { status: 200, schema: modelProfileSchema },
    handler: async ({ caller, params: { profile_id: id }, body, expectedVersions }, { database }) => {
      const changes = toFields(modelProfileChangesSchema, body);
      const changed = await withOrgTransaction(database, caller.orgId, async (em) => {
        const profile = await lockModelProfile(em, id);
        requireVersion(profile, expectedVersions);
        await checkChain(em, changes);
        checkMayChange(caller, profile);
        checkChangedChoice(profile, changes);
        const { orgId, name } = profile;
        const updated = await updateModelProfile(em, profile, changes);
        if (updated.name !== name) await renameProfileOfAgents(em, { orgId, name, newName: updated.name });
        return updated;
      });
      return present(modelProfileSchema, changed);
    },
  }),
  defineRoute({
    ...manage,
    method: 'delete',
    path: '/api/model-profiles/{profile_id}',
    operationId: 'deleteModelProfile',
    summary: 'Delete a model profile; 409 while agents refer to it',
    errors: [409],
    response: { status: 204 },
    handler: async ({ caller, params: { profile_id: id }, expectedVersions }, { database }) => {
      await withOrgTransaction(database, caller.orgId, async (em) => {
        const profile = await lockModelProfile(em, id);
        checkMayChange(caller, profile);
        requireVersion(profile, expectedVersions);
        rejectInUse(await findAgentsOfProfile(em, profile, shownBy(caller.policy, 'agents')), {
          refused: `The model profile "${profile.name}" cannot be deleted`,
          by: 'agents',
          advice: 'Give them another model first.',
        });
        await deleteModelProfile(em, profile);
      });
    },
  }),
];

type Choice = Pick<ModelProfileFields, 'providerType' | 'modelName' | 'providerChainId'>;

/**
 * Checks that the chain of a profile exists, and keeps it until the transaction has ended; `not_found` when it does
 * not.
 */
async function checkChain(
  em: EntityManager,
  { providerChainId }: { readonly providerChainId?: string | null | undefined },
): Promise<void> {
  if (typeof providerChainId === 'string') await requireProviderChain(em, providerChainId);
}

/** Rejects a profile that names neither a provider nor a chain, or both. */
function checkChoice({ providerType, modelName, providerChainId }: Choice): void {
  if (providerChainId === null && providerType === null)
    throw fieldIssue('provider_type', 'a profile needs a provider_type or a provider_chain_id');
  if (providerChainId === null) return;
  if (providerType !== null) throw fieldIssue('provider_type', 'must be null beside a provider_chain_id');
  if (modelName !== null)
    throw fieldIssue('model_name', 'must be null beside a provider_chain_id, whose steps name models');
}

/** Rejects a change after which a profile would name neither a provider nor a chain, or both. */
function checkChangedChoice(profile: Choice, changes: { readonly [K in keyof Choice]?: Choice[K] | undefined }): void {
  const { providerType, modelName, providerChainId } = profile;
  const before = { providerType, modelName, providerChainId };
  const {
    providerType: type = providerType,
    modelName: model = modelName,
    providerChainId: chain = providerChainId,
  } = changes;
  const after = { providerType: type, modelName: model, providerChainId: chain };
  // One that has lost its chain can still be renamed, and sent back as it is.
  if (!isDeepStrictEqual(before, after)) checkChoice(after);
}

/** Rejects a member's change or deletion of a profile that somebody else made. */
function checkMayChange(caller: OrgCaller, { ownerId }: ModelProfile): void {
  if (isAdministrator(caller) || ownerId === caller.userId) return;
  throw new AppError('forbidden', 'Only its creator and administrators may change this model profile');
}
