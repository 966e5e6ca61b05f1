import { createOrg, getOrg, listOrgs, switchOrg, updateOrg } from '../../db/orgs/index.ts';
import { getUser } from '../../db/users/index.ts';
import { present, presenter, toFields } from '../../domain/core/record-names.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery } from '../http/fields.ts';
import { idParams } from '../resources/id-fields.ts';
import { userSchema } from '../users/index.ts';
import { deleteAccountRoute } from './delete-account.ts';
import { deleteOrgRoute } from './delete-org.ts';
import { leaveOrgRoute } from './leave-org.ts';
import { memberDeviceRoutes } from './member-devices.ts';
import { memberRoutes } from './members.ts';
import { passwordLinkRoute } from './password-link.ts';
import { newOrgSchema, orgChangesSchema, orgSchema } from './schema.ts';

const tag = 'Organizations';
const params = idParams('org_id');

export const orgRoutes = [
  defineRoute({
    method: 'get',
    path: '/api/orgs',
    resource: 'orgs',
    access: 'signed_in',
    tag,
    operationId: 'listOrganizations',
    summary: 'Your organizations',
    query: pageQuery,
    response: { status: 200, schema: orgSchema.array() },
    handler: async ({ caller, query, answerPage }, { database }) =>
      answerPage(await listOrgs(database, caller.userId, query)).map(presenter(orgSchema)),
  }),
  defineRoute({
    method: 'post',
    path: '/api/orgs',
    resource: 'orgs',
    access: 'signed_in',
    rejectsManaged: true,
    tag,
    operationId: 'createOrganization',
    summary: 'Create an organization; you own it',
    body: newOrgSchema,
    errors: [409],
    response: { status: 201, schema: orgSchema },
    handler: async ({ caller, body }, { database, orgLimits }) => {
      const org = await createOrg(database, caller.userId, body, orgLimits);
      return present(orgSchema, org);
    },
  }),
  // Listed before the routes whose `id` would match the word `invite`.
  defineRoute({
    method: 'get',
    path: '/api/orgs/{org_id}',
    resource: 'orgs',
    access: { org: 'viewer' },
    tag,
    operationId: 'getOrganization',
    summary: 'One of your organizations',
    params,
    response: { status: 200, schema: orgSchema },
    handler: async ({ caller }, { database }) => present(orgSchema, await getOrg(database, caller)),
  }),
  defineRoute({
    method: 'patch',
    path: '/api/orgs/{org_id}',
    resource: 'orgs',
    access: { org: 'admin' },
    tag,
    operationId: 'updateOrganization',
    summary: 'Change the given fields',
    params,
    body: orgChangesSchema,
    response: { status: 200, schema: orgSchema },
    handler: async ({ caller, body }, { database }) => {
      await updateOrg(database, caller, toFields(orgChangesSchema, body));
      return present(orgSchema, await getOrg(database, caller));
    },
  }),
  deleteOrgRoute,
  defineRoute({
    method: 'post',
    path: '/api/orgs/{org_id}/switch',
    resource: 'orgs',
    action: 'switch',
    access: { org: 'viewer' },
    rejectsManaged: true,
    tag,
    operationId: 'switchOrganization',
    summary: 'Make it your active organization: the one that your requests concern when they name no other',
    description:
      'Open sockets and streams stay where they are. One request can be about another organization with the header `X-Org-Id`.',
    params,
    response: { status: 200, description: 'The user, with the new active organization', schema: userSchema },
    handler: async ({ caller }, { database }) => {
      await switchOrg(database, caller);
      // Sockets that were opened without naming an organization belong to the former one.
      return present(userSchema, await getUser(database, caller.userId));
    },
  }),
  leaveOrgRoute,
  ...memberRoutes,
  ...memberDeviceRoutes,
  passwordLinkRoute,
  deleteAccountRoute,
];
