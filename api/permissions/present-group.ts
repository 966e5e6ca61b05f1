import type { z } from 'zod';
import type { GroupWithMembers, PermissionGroup, PermissionGroupFields } from '../../db/permissions/index.ts';
import { type FieldsOf, present, toFields } from '../../domain/core/record-names.ts';
import { recordBy } from '../../domain/core/objects/record-by.ts';
import { EMPTY_ALLOWLISTS, type GroupAllowlists, type GroupLimits } from '../../domain/permissions/index.ts';
import { ALLOWLISTS } from '../../domain/resources/index.ts';
import { groupChangesSchema, groupSchema } from './schema.ts';

type GroupChanges = FieldsOf<typeof groupChangesSchema>;

const NO_LIMITS: GroupLimits = { tokenBudget: 0, tokenWindowHours: 0, maxConcurrentAgents: 0, maxProviderAccounts: 0 };

/** Returns a group as the API shows it. */
export function presentGroup({ group, userIds }: GroupWithMembers): z.input<typeof groupSchema> {
  const { allowlists, defaultChainId } = group;
  return present(groupSchema, group, { capabilities: { ...allowlists, defaultChainId }, userIds });
}

/** Returns the fields of a new group. */
export function toGroupFields(
  body: z.output<typeof groupChangesSchema> & { name: string; description: string },
): PermissionGroupFields {
  const { name, description } = body;
  const nothing = { permissions: [], limits: NO_LIMITS, allowlists: EMPTY_ALLOWLISTS, defaultChainId: null };
  return { ...nothing, name, description, ...toGroupChanges(body, nothing) };
}

type Present = Pick<PermissionGroup, 'limits' | 'allowlists'>;

/** Returns the fields that a body changes. Unnamed limits and capabilities stay as they are. */
export function toGroupChanges(
  body: z.output<typeof groupChangesSchema>,
  before: Present,
): Partial<PermissionGroupFields> {
  const { permissions, limits, capabilities, ...changes } = toFields(groupChangesSchema, body);
  return {
    ...changes,
    ...(permissions !== undefined && { permissions: [...new Set(permissions)] }),
    ...(limits !== undefined && { limits: { ...before.limits, ...limits } }),
    ...(capabilities !== undefined && toCapabilities(capabilities, before.allowlists)),
  };
}

function toCapabilities(
  { defaultChainId, ...lists }: NonNullable<GroupChanges['capabilities']>,
  before: GroupAllowlists,
): Partial<PermissionGroupFields> {
  const allowlists = recordBy(ALLOWLISTS, 'name', ({ name }) => [...new Set(lists[name] ?? before[name])]);
  return { allowlists, ...(defaultChainId !== undefined && { defaultChainId }) };
}
