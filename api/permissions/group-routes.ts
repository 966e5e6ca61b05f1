import type { z } from 'zod';
import type { Definitions } from '../../db/definitions/definitions.ts';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import type { DefinitionHead, DefinitionKind } from '../../domain/definitions/definition.ts';
import { EMPTY_ALLOWLISTS, type GroupAllowlists, type GroupLimits } from '../../domain/permissions/policy.ts';
import { isPermissionKey } from '../../domain/permissions/keys.ts';
import {
  type AllowlistName,
  ALLOWLISTS,
  type DeclaredAllowlist,
  requireVersion,
  resourceOf,
} from '../../domain/resources.ts';
import { withOrgTransaction } from '../../db/core/transactions.ts';
import { requireRoom } from '../../db/orgs/require-room.ts';
import {
  createPermissionGroup,
  deletePermissionGroup,
  getPermissionGroup,
  type GroupWithMembers,
  listPermissionGroups,
  lockPermissionGroup,
  type PermissionGroupFields,
  setGroupMembers,
  updatePermissionGroup,
} from '../../db/permissions/permission-groups.ts';
import type { PermissionGroup } from '../../db/permissions/permission-group.entity.ts';
import { requireAssignable } from '../../db/permissions/assignable.ts';
import { recordBy } from '../../domain/core/objects.ts';
import { type FieldsOf, present, toFields } from '../../domain/core/record-names.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery } from '../http/fields.ts';
import { groupChangesSchema, groupMembersSchema, groupSchema, newGroupSchema } from './schema.ts';

/** The kinds of definitions in allowlists, by the name of the list. */
const KINDS: ReadonlyMap<AllowlistName, DefinitionKind> = new Map([
  ['toolKeys', 'tool'],
  ['skillKeys', 'skill'],
  ['personaIds', 'persona'],
]);

/** Lists the definitions that can go into an allowlist; undefined for a list of other records. */
export async function assignableDefinitions(
  definitions: Definitions,
  orgId: string,
  { name }: DeclaredAllowlist,
): Promise<readonly DefinitionHead[] | undefined> {
  const kind = KINDS.get(name);
  return kind === undefined ? undefined : definitions.heads(orgId, kind);
}

/** Rejects unknown permission keys. */
function checkPermissionKeys(keys: readonly string[] | undefined): void {
  const unknown = keys?.find((key) => !isPermissionKey(key));
  if (unknown !== undefined) throw new AppError('invalid', `"${unknown}" is not a permission key`);
}

/** Returns the additions of a change to each allowlist: present entries may have been deleted since, and stay. */
function additionsTo(
  present: GroupAllowlists | undefined,
  wanted: GroupAllowlists | undefined,
): [DeclaredAllowlist, readonly string[]][] {
  if (wanted === undefined) return [];
  return ALLOWLISTS.map((list) => {
    const known = new Set(present?.[list.name]);
    return [list, wanted[list.name].filter((item) => !known.has(item))];
  });
}

/** Rejects definitions that do not exist; other lists contain ids of records, which are looked up. */
async function checkAddedDefinitions(
  definitions: Definitions,
  orgId: string,
  additions: readonly (readonly [DeclaredAllowlist, readonly string[]])[],
): Promise<void> {
  for (const [list, added] of additions) {
    if (added.length === 0) continue;
    const heads = await assignableDefinitions(definitions, orgId, list);
    const known = heads && new Set(heads.map(({ id, key }) => (list.entryKind === 'ids' ? id : key)));
    if (known !== undefined && added.some((each) => !known.has(each))) throw notFound(resourceOf(list.resource).name);
  }
}

// A group never grants this key to members whom it restricts, so nobody extends their own rights.
const view = { resource: 'permission_groups', access: 'settings.view', tag: 'Permissions' } as const;
const head = { resource: 'permission_groups', access: 'settings.manage', tag: 'Permissions' } as const;

export const groupRoutes = [
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/permissions/groups',
    operationId: 'listPermissionGroups',
    summary: 'List the permission groups of the organization',
    query: pageQuery,
    response: { status: 200, schema: groupSchema.array() },
    handler: async ({ caller, query, answerPage }, { database }) =>
      answerPage(await listPermissionGroups(database, caller.orgId, query)).map(presentGroup),
  }),
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/permissions/groups/{group_id}',
    operationId: 'getPermissionGroup',
    summary: 'Get a permission group',
    response: { status: 200, schema: groupSchema },
    handler: async ({ caller: { orgId }, params: { group_id: id } }, { database }) =>
      presentGroup(await getPermissionGroup(database, { orgId, id })),
  }),
  defineRoute({
    ...head,
    method: 'post',
    path: '/api/permissions/groups',
    operationId: 'createPermissionGroup',
    summary: 'Add a permission group: keys, limits and allowlists',
    description:
      'A group restricts members and viewers to what its keys, limits and lists allow; several groups combine. An empty list allows everything, and 0 means unlimited.',
    body: newGroupSchema,
    errors: [400, 404, 409],
    response: { status: 201, schema: groupSchema },
    handler: async ({ caller: { orgId }, body }, { database, definitions, orgLimits }) => {
      checkPermissionKeys(body.permissions);
      const fields = toGroupFields(body);
      const additions = additionsTo(undefined, fields.allowlists);
      await checkAddedDefinitions(definitions, orgId, additions);
      const created = await withOrgTransaction(database, orgId, async (em) => {
        await requireRoom(em, orgId, 'groups', orgLimits);
        for (const [list, added] of additions) await requireAssignable(em, list, added);
        return createPermissionGroup(em, orgId, fields);
      });
      return presentGroup(created);
    },
  }),
  defineRoute({
    ...head,
    method: 'patch',
    path: '/api/permissions/groups/{group_id}',
    operationId: 'updatePermissionGroup',
    summary: 'Change a permission group; only the given fields change, with immediate effect for its members',
    description: 'Within `limits` and `capabilities`, too, only the given fields change.',
    body: groupChangesSchema,
    errors: [400, 409],
    response: { status: 200, schema: groupSchema },
    handler: async (
      { caller: { orgId }, params: { group_id: id }, body, expectedVersions },
      { database, definitions },
    ) => {
      const changed = await withOrgTransaction(database, orgId, async (em) => {
        const group = await lockPermissionGroup(em, id);
        requireVersion(group, expectedVersions);
        checkPermissionKeys(body.permissions);
        const changes = toGroupChanges(body, group);
        const additions = additionsTo(group.allowlists, changes.allowlists);
        await checkAddedDefinitions(definitions, orgId, additions);
        for (const [list, added] of additions) await requireAssignable(em, list, added);
        return updatePermissionGroup(em, group, changes);
      });
      return presentGroup(changed);
    },
  }),
  defineRoute({
    ...head,
    method: 'delete',
    path: '/api/permissions/groups/{group_id}',
    operationId: 'deletePermissionGroup',
    summary: 'Delete a permission group; it no longer restricts its members',
    response: { status: 204 },
    handler: async ({ caller: { orgId }, params: { group_id: id }, expectedVersions }, { database }) => {
      await withOrgTransaction(database, orgId, async (em) => {
        requireVersion(await lockPermissionGroup(em, id), expectedVersions);
        await deletePermissionGroup(em, { orgId, id });
      });
    },
  }),
  defineRoute({
    ...head,
    method: 'put',
    path: '/api/permissions/groups/{group_id}/members',
    action: 'set_members',
    operationId: 'setPermissionGroupMembers',
    summary: 'Set the members of a permission group',
    body: groupMembersSchema,
    response: { status: 200, schema: groupSchema },
    handler: async ({ caller: { orgId }, params: { group_id: id }, body, expectedVersions }, { database }) => {
      const changed = await withOrgTransaction(database, orgId, async (em) => {
        requireVersion(await lockPermissionGroup(em, id), expectedVersions);
        return setGroupMembers(em, { orgId, id }, body.user_ids);
      });
      return presentGroup(changed);
    },
  }),
];

type GroupChanges = FieldsOf<typeof groupChangesSchema>;

const NO_LIMITS: GroupLimits = { tokenBudget: 0, tokenWindowHours: 0, maxConcurrentAgents: 0, maxProviderAccounts: 0 };

/** Returns a group as the API shows it. */
function presentGroup({ group, userIds }: GroupWithMembers): z.input<typeof groupSchema> {
  const { allowlists, defaultChainId } = group;
  return present(groupSchema, group, { capabilities: { ...allowlists, defaultChainId }, userIds });
}

/** Returns the fields of a new group. */
function toGroupFields(
  body: z.output<typeof groupChangesSchema> & { name: string; description: string },
): PermissionGroupFields {
  const { name, description } = body;
  const nothing = { permissions: [], limits: NO_LIMITS, allowlists: EMPTY_ALLOWLISTS, defaultChainId: null };
  return { ...nothing, name, description, ...toGroupChanges(body, nothing) };
}

type Present = Pick<PermissionGroup, 'limits' | 'allowlists'>;

/** Returns the fields that a body changes. Unnamed limits and capabilities stay as they are. */
function toGroupChanges(body: z.output<typeof groupChangesSchema>, before: Present): Partial<PermissionGroupFields> {
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
