import { withOrgTransaction } from '../../db/core/index.ts';
import { requireRoom } from '../../db/orgs/index.ts';
import {
  createPermissionGroup,
  deletePermissionGroup,
  getPermissionGroup,
  listPermissionGroups,
  lockPermissionGroup,
  requireAssignable,
  setGroupMembers,
  updatePermissionGroup,
} from '../../db/permissions/index.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery } from '../http/fields.ts';
import { idParams } from '../resources/id-fields.ts';
import { additionsTo, checkAddedDefinitions, checkPermissionKeys } from './check-group.ts';
import { presentGroup, toGroupChanges, toGroupFields } from './present-group.ts';
import { groupChangesSchema, groupMembersSchema, groupSchema, newGroupSchema } from './schema.ts';
import { requireVersion } from '../../domain/resources/index.ts';

// A group never grants this key to members whom it restricts, so nobody extends their own rights.
const view = { resource: 'permission_groups', access: 'settings.view', tag: 'Permissions' } as const;
const head = { resource: 'permission_groups', access: 'settings.manage', tag: 'Permissions' } as const;
const params = idParams('group_id');

export const groupRoutes = [
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/permissions/groups',
    operationId: 'listPermissionGroups',
    summary: 'The permission groups of the organization',
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
    summary: 'One permission group',
    params,
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
      'A group restricts members and viewers to what its keys, limits and lists allow; several groups add up. An empty list allows everything, and 0 is unlimited.',
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
    summary: 'Change a permission group; only the given fields change, for its members at once',
    description: 'Of `limits` and `capabilities` only the given fields change.',
    params,
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
    params,
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
    summary: 'Set who is in a permission group',
    params,
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
