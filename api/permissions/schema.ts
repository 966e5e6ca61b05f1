import { z } from 'zod';
import { nameText, text } from '../../domain/core/text.ts';
import { ROLES } from '../../domain/permissions/index.ts';
import { timestamp } from '../core/fields.ts';

const MAX_LISTED = 1_000;
const MAX_MEMBERS = 10_000;

// Lower case is the form in which ids are made, stored and compared.
const id = z.uuid().toLowerCase();
const ids = z.array(id).max(MAX_LISTED);
const keys = z.array(text(100).min(1)).max(MAX_LISTED);

const limits = {
  token_budget: z
    .int()
    .min(0)
    .max(100_000_000_000)
    .meta({ description: 'Input and output tokens within the window; 0 is unlimited' }),
  token_window_hours: z.int().min(0).max(87_600).meta({ description: '0 is all time' }),
  max_concurrent_agents: z
    .int()
    .min(0)
    .max(10_000)
    .meta({ description: 'Agents at work for one user; 0 is unlimited' }),
  max_provider_accounts: z.int().min(0).max(10_000).meta({ description: '0 is unlimited' }),
};

const capabilities = {
  agent_ids: ids,
  skill_keys: keys,
  tool_keys: keys,
  persona_ids: ids,
  provider_ids: ids,
  chain_ids: ids,
  default_chain_id: id.nullable(),
};

const fields = {
  name: nameText(),
  description: text(5_000),
  // Which of them are keys is looked at later: an unknown one has a status of its own.
  permissions: z.array(text(200)).max(MAX_LISTED),
  limits: z.strictObject(limits).partial(),
  capabilities: z.strictObject(capabilities).partial().meta({ description: 'An empty list allows everything' }),
};

export const newGroupSchema = z.strictObject({
  ...fields,
  description: fields.description.default(''),
  permissions: fields.permissions.default([]),
  limits: fields.limits.default({}),
  capabilities: fields.capabilities.default({}),
});

export const groupChangesSchema = z.strictObject(fields).partial();

export const groupMembersSchema = z.strictObject({ user_ids: z.array(id).max(MAX_MEMBERS) });

export const groupSchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    description: z.string(),
    permissions: z.array(z.string()),
    limits: z.object(limits),
    capabilities: z.object(capabilities),
    user_ids: z.array(z.uuid()).meta({ description: 'Who is in the group' }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'PermissionGroup' });

export const catalogKeySchema = z
  .object({
    key: z.string(),
    area: z.string(),
    label: z.string(),
    implies: z.array(z.string()).meta({ description: 'Keys that come with it' }),
  })
  .meta({ id: 'PermissionKey' });

const recordRef = z.object({ id: z.uuid(), name: z.string() });
const keyRef = z.object({ key: z.string(), name: z.string() });

export const assignableSchema = z
  .object({
    agents: recordRef.array(),
    skills: keyRef.array(),
    tools: keyRef.array(),
    personas: recordRef.array(),
    providers: recordRef.array(),
    chains: recordRef.array(),
  })
  .meta({ id: 'AssignableResources' });

const budgetUse = z.object({
  token_budget: z.int(),
  token_window_hours: z.int(),
  used_tokens: z.int(),
  remaining_tokens: z.int(),
  available_at: timestamp.nullable().meta({ description: 'While it is used up: when some of it is free again' }),
});

export const ownPermissionsSchema = z
  .object({
    role: z.enum(ROLES),
    is_restricted: z.boolean().meta({ description: 'Whether permission groups narrow your role' }),
    permissions: z.array(z.string()),
    limits: z.object(limits),
    capabilities: z.object(capabilities),
    groups: recordRef.array(),
    usage: z.object({
      budgets: budgetUse.array().meta({ description: 'Alternatives: you are blocked when each is used up' }),
      is_blocked: z.boolean(),
      available_at: timestamp.nullable().meta({ description: 'While you are blocked: when that ends' }),
      running_agents: z.int(),
      provider_accounts: z.int(),
    }),
  })
  .meta({ id: 'OwnPermissions' });
