import { z } from 'zod';
import { recordBy } from '../../domain/core/objects.ts';
import { nameText, text } from '../../domain/core/text.ts';
import { PERMISSION_CATALOG } from '../../domain/permissions/keys.ts';
import { ALLOWLISTS } from '../../domain/resources.ts';
import { idOf } from '../resources/id-fields.ts';
import { EXAMPLE_ID, limitParam, offsetParam, roleField, timestamp } from '../http/fields.ts';
import { shownEmail } from '../users/schema.ts';

const MAX_LISTED = 1_000;
const MAX_MEMBERS = 10_000;

const keys = z.array(text(100).min(1)).max(MAX_LISTED);

/** A permission key. An unknown one has a status of its own, so the text is checked later. */
const permissionKey = text(200).meta({ id: 'PermissionKey', enum: PERMISSION_CATALOG.map(({ key }) => key) });

const limits = {
  token_budget: z
    .int()
    .min(0)
    .max(100_000_000_000)
    .meta({ description: 'Input and output tokens within the window; 0 is unlimited' }),
  token_window_hours: z.int().min(0).max(87_600).meta({ description: '0 means all time' }),
  max_concurrent_agents: z
    .int()
    .min(0)
    .max(10_000)
    .meta({ description: 'Concurrent agents of one user; 0 is unlimited' }),
  max_provider_accounts: z.int().min(0).max(10_000).meta({ description: '0 is unlimited' }),
};

const capabilities = {
  ...recordBy(ALLOWLISTS, 'field', ({ resource, entryKind, things }) =>
    (entryKind === 'ids' ? z.array(idOf(resource)).max(MAX_LISTED) : keys).meta({
      description: `The ${things} that may be used`,
    }),
  ),
  default_chain_id: idOf('provider_chains')
    .nullable()
    .meta({ description: "The provider chain that its members' turns must use; null to enforce none" }),
};

const fields = {
  name: nameText(),
  description: text(5_000),
  permissions: z
    .array(permissionKey)
    .max(MAX_LISTED)
    .meta({ description: 'The permissions of its members, within the limits of their role' }),
  limits: z
    .strictObject(limits)
    .partial()
    .meta({ id: 'GroupLimitsUpdate', description: 'Omitted ones stay unchanged' }),
  capabilities: z.strictObject(capabilities).partial().meta({
    id: 'GroupCapabilitiesUpdate',
    description: 'Omitted ones stay unchanged; an empty list allows everything',
  }),
};

export const newGroupSchema = z
  .strictObject({
    ...fields,
    description: fields.description.default(''),
    permissions: fields.permissions.default([]),
    limits: fields.limits.default({}),
    capabilities: fields.capabilities.default({}),
  })
  .meta({
    id: 'PermissionGroupCreate',
    examples: [
      {
        name: 'Interns',
        permissions: ['agents.view'],
        limits: { token_budget: 1_000_000, token_window_hours: 24 },
        capabilities: { agent_ids: [EXAMPLE_ID] },
      },
    ],
  });

export const groupChangesSchema = z
  .strictObject(fields)
  .partial()
  .meta({ id: 'PermissionGroupUpdate', examples: [{ limits: { token_budget: 0 } }] });

export const groupMembersSchema = z
  .strictObject({ user_ids: z.array(idOf('members')).max(MAX_MEMBERS) })
  .meta({ id: 'PermissionGroupMembers', examples: [{ user_ids: [EXAMPLE_ID] }] });

const shownLimits = z.object(limits).meta({ id: 'GroupLimits' });
const shownCapabilities = z
  .object(capabilities)
  .meta({ id: 'GroupCapabilities', description: 'An empty list allows everything' });

export const groupSchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    description: z.string(),
    permissions: z.array(permissionKey),
    limits: shownLimits,
    capabilities: shownCapabilities,
    user_ids: z.array(z.uuid()).meta({ description: 'The members of the group' }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'PermissionGroup' });

export const catalogKeySchema = z
  .object({
    key: permissionKey,
    area: z.string(),
    label: z.string(),
    implies: z.array(permissionKey).meta({ description: 'Keys that it includes' }),
    reserved: z.boolean().meta({ description: 'Whether no operation requires it yet' }),
  })
  .meta({ id: 'PermissionCatalogEntry' });

const recordRef = z.object({ id: z.uuid(), name: z.string() }).meta({ id: 'RecordReference' });
const keyRef = z.object({ key: z.string(), name: z.string() }).meta({ id: 'KeyReference' });

export const assignableSchema = z
  .object(recordBy(ALLOWLISTS, 'choices', ({ entryKind }) => z.array(entryKind === 'ids' ? recordRef : keyRef)))
  .meta({ id: 'AssignableResources' });

const budgetUse = z
  .object({
    token_budget: z.int(),
    token_window_hours: z.int(),
    used_tokens: z.int(),
    remaining_tokens: z.int(),
    available_at: timestamp
      .nullable()
      .meta({ description: 'While it is exhausted: when part of it becomes available again' }),
  })
  .meta({ id: 'BudgetUse' });

/** The members of one page: the budgets of each are read by themselves. */
const MAX_MEMBERS_OF_PAGE = 100;

export const memberBudgetsQuery = z.strictObject({
  limit: limitParam(MAX_MEMBERS_OF_PAGE).default(MAX_MEMBERS_OF_PAGE),
  offset: offsetParam().optional(),
});

export const memberBudgetsSchema = z
  .object({
    user_id: z.uuid(),
    email: shownEmail,
    full_name: z.string(),
    role: roleField,
    groups: recordRef.array(),
    budgets: budgetUse
      .array()
      .meta({ description: 'Alternatives: the member is blocked only when all of them are exhausted' }),
    is_blocked: z.boolean(),
    available_at: timestamp.nullable().meta({ description: 'While blocked: when the block ends' }),
  })
  .meta({ id: 'MemberBudgets' });

export const ownPermissionsSchema = z
  .object({
    role: roleField,
    is_restricted: z.boolean().meta({ description: 'Whether permission groups restrict your role' }),
    permissions: z.array(permissionKey),
    limits: shownLimits,
    capabilities: shownCapabilities,
    groups: recordRef.array(),
    usage: z
      .object({
        budgets: budgetUse
          .array()
          .meta({ description: 'Alternatives: you are blocked only when all of them are exhausted' }),
        is_blocked: z.boolean(),
        available_at: timestamp.nullable().meta({ description: 'While you are blocked: when the block ends' }),
        running_agents: z.int(),
        provider_accounts: z.int(),
      })
      .meta({ id: 'OwnUsage' }),
  })
  .meta({ id: 'OwnPermissions' });
