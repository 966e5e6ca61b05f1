import { changeMemberRole, removeMember } from '../../db/membership-changes/index.ts';
import { getMember, listMembers } from '../../db/orgs/index.ts';
import { present, presenter } from '../../domain/core/record-names.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery } from '../http/fields.ts';
import { idParams } from '../resources/id-fields.ts';
import { memberSchema, roleChangeSchema } from './schema.ts';

const tag = 'Organizations';
const memberParams = idParams('org_id', 'user_id');

export const memberRoutes = [
  defineRoute({
    method: 'get',
    path: '/api/orgs/{org_id}/members',
    resource: 'members',
    access: { org: 'viewer' },
    tag,
    operationId: 'listMembers',
    summary: 'The members, in the order in which they joined',
    params: idParams('org_id'),
    query: pageQuery,
    response: { status: 200, schema: memberSchema.array() },
    handler: async ({ caller, query, answerPage }, { database }) =>
      answerPage(await listMembers(database, caller.orgId, query)).map(presenter(memberSchema)),
  }),
  defineRoute({
    method: 'patch',
    path: '/api/orgs/{org_id}/members/{user_id}',
    resource: 'members',
    access: { org: 'admin' },
    tag,
    operationId: 'updateMember',
    summary: "Change a member's role; the role owner hands the organization over, and only the owner grants admin",
    description: 'Changing the role to `owner` hands the organization over: the former owner becomes an admin.',
    params: memberParams,
    body: roleChangeSchema,
    errors: [409],
    response: { status: 200, schema: memberSchema },
    handler: async ({ caller, params, body }, { database, orgLimits }) => {
      const target = { orgId: caller.orgId, userId: params.user_id };
      await changeMemberRole(database, caller, target, { to: body.role, limits: orgLimits });
      return present(memberSchema, await getMember(database, target));
    },
  }),
  defineRoute({
    method: 'delete',
    path: '/api/orgs/{org_id}/members/{user_id}',
    resource: 'members',
    access: { org: 'admin' },
    tag,
    operationId: 'removeMember',
    summary:
      'Remove a member: their running turns stop, and their keys and devices for this organization become invalid',
    params: memberParams,
    errors: [409],
    response: { status: 204 },
    handler: async ({ caller, params }, { database }) => {
      await removeMember(database, caller, { orgId: caller.orgId, userId: params.user_id });
    },
  }),
];
