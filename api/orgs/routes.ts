import { deleteAccount, type DeletedOrg, deleteOrg, leaveOrg } from '../../db/membership-changes/index.ts';
import { createOrg, getOrg, listOrgs, switchOrg, updateOrg } from '../../db/orgs/index.ts';
import { getUser } from '../../db/users/index.ts';
import { present, presenter, toFields } from '../../domain/core/record-names.ts';
import { endRuns } from '../../workflows/due-work/client.ts';
import { startOrgPurge } from '../../workflows/housekeeping/client.ts';
import { endConversations } from '../../workflows/turns/client.ts';
import type { ApiContext } from '../context/api-context.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery } from '../http/fields.ts';
import { idParams } from '../resources/id-fields.ts';
import { checkOwnPassword, userSchema } from '../users/index.ts';
import { memberDeviceRoutes, memberRoutes, passwordLinkRoute } from './members.ts';
import { accountDeletionSchema, newOrgSchema, orgChangesSchema, orgSchema } from './schema.ts';

const tag = 'Organizations';
const params = idParams('org_id');

/** Deletes the caller's account. A managed account is for its organization to delete. */
const deleteAccountRoute = defineRoute({
  method: 'post',
  path: '/api/users/me/delete',
  resource: 'users',
  action: 'delete',
  access: 'signed_in',
  rejectsManaged: true,
  tag: 'Users',
  operationId: 'deleteCurrentUser',
  summary:
    'Delete your account and the organizations of which you are the only member; hand over or delete the others that you own first',
  body: accountDeletionSchema,
  errors: [403, 409, 429],
  response: { status: 204 },
  handler: async ({ caller: { userId }, body: { current_password: password }, ip, noteOrgs }, context) => {
    await checkOwnPassword(context, { userId, password, ip });
    const { deletedOrgs, leftOrgIds } = await deleteAccount(context.database, userId);
    noteOrgs(...leftOrgIds);
    for (const { orgId, ...deleted } of deletedOrgs) clearAway(context, orgId, deleted);
  },
});

/**
 * Deletes the organization: after the response nobody reaches anything of it any more. The rest is done in the
 * background.
 */
const deleteOrgRoute = defineRoute({
  method: 'delete',
  path: '/api/orgs/{org_id}',
  resource: 'orgs',
  access: { org: 'owner' },
  tag: 'Organizations',
  operationId: 'deleteOrganization',
  summary: 'Delete the organization with everything in it',
  description: 'Once the response arrives, nothing of it can be reached; its records are removed in the background.',
  params: idParams('org_id'),
  errors: [409],
  response: { status: 204 },
  handler: async ({ caller }, context) => {
    const deleted = await deleteOrg(context.database, caller);
    clearAway(context, caller.orgId, deleted);
  },
});

/** Takes the caller out of the organization. Their running turns there stop, as when somebody removes them. */
const leaveOrgRoute = defineRoute({
  method: 'post',
  path: '/api/orgs/{org_id}/leave',
  resource: 'orgs',
  action: 'leave',
  access: { org: 'viewer' },
  rejectsManaged: true,
  tag: 'Organizations',
  operationId: 'leaveOrganization',
  summary: 'Leave the organization; its owner hands it over first',
  params: idParams('org_id'),
  errors: [409],
  response: { status: 200, description: 'The user, without the organization', schema: userSchema },
  handler: async ({ caller }, { database }) => {
    await leaveOrg(database, caller);
    return present(userSchema, await getUser(database, caller.userId));
  },
});

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

/**
 * Starts the purge of a deleted organization in the background. While the engine is down its conversations and runs do
 * nothing, and the housekeeping starts the purge when it is back.
 */
function clearAway({ temporal, log }: ApiContext, orgId: string, { chatIds, runIds }: DeletedOrg): void {
  const work = async () => {
    await endRuns(temporal, orgId, runIds);
    await endConversations(temporal, orgId, chatIds);
    await startOrgPurge(temporal, orgId);
  };
  work().catch((error: unknown) => {
    log.warn({ err: error, orgId }, 'a deleted organization could not be purged; the housekeeping will do it');
  });
}
