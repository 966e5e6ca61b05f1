import type { z } from 'zod';
import { type AssignableRecord, listAssignable } from '../../db/permissions/index.ts';
import { PERMISSION_CATALOG } from '../../domain/permissions/index.ts';
import { ALLOWLISTS } from '../../domain/resources/index.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery } from '../http/fields.ts';
import { isAdministrator } from '../access/is-administrator.ts';
import { pageOf } from '../http/pages.ts';
import { assignableDefinitions } from './check-group.ts';
import { groupRoutes } from './group-routes.ts';
import { memberBudgetsRoute } from './member-budgets.ts';
import { ownPermissionsRoute } from './own-permissions.ts';
import { assignableSchema, catalogKeySchema } from './schema.ts';

export const permissionRoutes = [
  ...groupRoutes,
  memberBudgetsRoute,
  defineRoute({
    method: 'get',
    path: '/api/permissions/catalog',
    resource: 'permissions',
    action: 'view_catalog',
    access: 'in_org',
    tag: 'Permissions',
    operationId: 'listPermissionKeys',
    summary: 'Every permission key',
    query: pageQuery,
    response: { status: 200, schema: catalogKeySchema.array() },
    handler: async ({ query, answerPage }) =>
      answerPage(pageOf(PERMISSION_CATALOG, query)).map(({ key, area, label, implies, isReserved }) => ({
        key,
        area,
        label,
        implies: [...implies],
        reserved: isReserved,
      })),
  }),
  defineRoute({
    method: 'get',
    path: '/api/permissions/assignable',
    resource: 'permissions',
    action: 'view_assignable',
    access: 'settings.view',
    tag: 'Permissions',
    operationId: 'listAssignableResources',
    summary: 'The assignable records and keys that can go into the allowlists of a permission group',
    response: { status: 200, description: 'The assignable records and keys', schema: assignableSchema },
    handler: async ({ caller }, { database, definitions }) => {
      const viewerId = isAdministrator(caller) ? undefined : caller.userId;
      const records = await listAssignable(database, caller.orgId, viewerId);
      const choices = ALLOWLISTS.map(async (list) => {
        const defined = await assignableDefinitions(definitions, caller.orgId, list);
        if (list.holds === 'ids') return [list.choices, (defined ?? records[list.name]).map(refOf)];
        return [list.choices, (defined ?? []).map(({ key, name }) => ({ key, name }))];
      });
      // Each list has its choices.
      return Object.fromEntries(await Promise.all(choices)) as z.input<typeof assignableSchema>;
    },
  }),
  ownPermissionsRoute,
];

function refOf({ id, name }: AssignableRecord) {
  return { id, name };
}
