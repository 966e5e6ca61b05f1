import { findMembers } from '../../db/approvals/find-members.ts';
import type { TenantDatabase } from '../../db/core/database.ts';
import { listDevices, revokeDevice } from '../../db/device-tokens.ts';
import { changeMemberRole, leaveOrg, removeMember } from '../../db/membership-changes/change-members.ts';
import { deleteAccount } from '../../db/membership-changes/delete-account.ts';
import { type DeletedOrg, deleteOrg } from '../../db/membership-changes/delete-org.ts';
import { createOrg, getOrg, listOrgs, switchOrg, updateOrg } from '../../db/orgs/orgs.ts';
import { getMember, listMembers } from '../../db/orgs/memberships.ts';
import { makePasswordLink } from '../../db/passwords.ts';
import { notFound } from '../../domain/core/app-error.ts';
import { present, presenter, toFields } from '../../domain/core/record-names.ts';
import { rejectUnlessAbove } from '../../domain/orgs.ts';
import { policyAllows } from '../../domain/permissions/policy.ts';
import { newTokenValue, PASSWORD_LINK_SECONDS } from '../access/tokens.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery } from '../http/fields.ts';
import { fieldIssue } from '../http/problem.ts';
import { checkOwnPassword } from '../users/check-own-password.ts';
import { deviceSchema, userSchema } from '../users/schema.ts';
import {
  accountDeletionSchema,
  memberSchema,
  newOrgSchema,
  orgChangesSchema,
  orgSchema,
  passwordLinkSchema,
  roleChangeSchema,
} from './schema.ts';
import { getUser } from '../../db/users/user.ts';
import { agentWorkflowRunId } from '../../workflows/agent-workflows/contract.ts';
import { terminateWorkflows } from '../../workflows/core/client.ts';
import { startOrgPurge } from '../../workflows/housekeeping/client.ts';
import { conversationId } from '../../workflows/turns/contract.ts';
import type { ApiContext } from '../context/api-context.ts';
import { setsAny } from '../../domain/resources.ts';

const tag = 'Organizations';

const memberRoutes = [
  defineRoute({
    method: 'get',
    path: '/api/orgs/{org_id}/members',
    resource: 'members',
    access: { org: 'viewer' },
    tag,
    operationId: 'listMembers',
    summary: 'List the members, in the order in which they joined',
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
    summary: "Change a member's role; `owner` transfers the organization, and only the owner grants admin",
    description: 'Changing the role to `owner` transfers the organization: the former owner becomes an admin.',
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
    errors: [409],
    response: { status: 204 },
    handler: async ({ caller, params }, { database }) => {
      await removeMember(database, caller, { orgId: caller.orgId, userId: params.user_id });
    },
  }),
];

const head = { resource: 'devices', access: { org: 'admin' }, tag: 'Organizations' } as const;

const memberDeviceRoutes = [
  defineRoute({
    ...head,
    method: 'get',
    path: '/api/orgs/{org_id}/members/{user_id}/devices',
    operationId: 'listMemberDevices',
    summary: "List a member's devices signed in to this organization",
    query: pageQuery,
    response: { status: 200, schema: deviceSchema.array() },
    handler: async ({ caller, params, query, answerPage }, { database }) => {
      const { userId } = await getMember(database, { orgId: caller.orgId, userId: params.user_id });
      return answerPage(await listDevices(database, { orgId: caller.orgId, userId }, query)).map(
        presenter(deviceSchema),
      );
    },
  }),
  defineRoute({
    ...head,
    method: 'delete',
    path: '/api/orgs/{org_id}/members/{user_id}/devices/{device_id}',
    operationId: 'revokeMemberDevice',
    summary: "Sign a member's device out; its token and its API key become invalid at once",
    response: { status: 204 },
    handler: async ({ caller, params }, { database }) => {
      const member = await getMember(database, { orgId: caller.orgId, userId: params.user_id });
      rejectUnlessAbove({ caller: caller.role, target: member.role, isSelf: member.userId === caller.userId });
      await revokeDevice(database, { orgId: caller.orgId, userId: member.userId }, params.device_id);
    },
  }),
];

/** Makes a link with which the user of a managed account sets a password: they have none, or have forgotten it. */
const passwordLinkRoute = defineRoute({
  method: 'post',
  path: '/api/orgs/{org_id}/members/{user_id}/password-link',
  resource: 'members',
  action: 'password_link',
  access: { org: 'admin' },
  tag: 'Organizations',
  operationId: 'createPasswordLink',
  summary: 'Create a single-use link for the user of a managed account to set a password',
  description:
    'The link is valid for 24 hours; a newer one replaces it. 409 unless this organization manages the account and its user is a viewer or member of this organization only.',
  errors: [409],
  response: { status: 200, description: 'The link', schema: passwordLinkSchema },
  handler: async ({ caller, params }, { database }) => {
    const member = await getMember(database, { orgId: caller.orgId, userId: params.user_id });
    rejectUnlessAbove({ caller: caller.role, target: member.role, isSelf: member.userId === caller.userId });
    const { value: token, publicId, secretHash } = newTokenValue('et_pwd');
    const account = { userId: member.userId, orgId: caller.orgId, createdBy: caller.userId };
    const stored = { publicId, secretHash, lifetimeSeconds: PASSWORD_LINK_SECONDS };
    const expiresAt = await makePasswordLink(database, { ...account, ...stored });
    return { token, password_path: `/set-password?token=${token}`, expires_at: expiresAt.toISOString() };
  },
});

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
    'Delete your account and the organizations of which you are the only member; first transfer or delete the others that you own',
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
  description: 'Once the response arrives, nothing in it is accessible; its records are removed in the background.',
  errors: [409],
  response: { status: 204 },
  handler: async ({ caller }, context) => {
    const deleted = await deleteOrg(context.database, caller);
    clearAway(context, caller.orgId, deleted);
  },
});

/** Removes the caller from the organization. Their running turns there stop, as when somebody else removes them. */
const leaveOrgRoute = defineRoute({
  method: 'post',
  path: '/api/orgs/{org_id}/leave',
  resource: 'orgs',
  action: 'leave',
  access: { org: 'viewer' },
  rejectsManaged: true,
  tag: 'Organizations',
  operationId: 'leaveOrganization',
  summary: 'Leave the organization; an owner must transfer it first',
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
    summary: 'List your organizations',
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
    summary: 'Create an organization, which you own',
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
    summary: 'Get one of your organizations',
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
    body: orgChangesSchema,
    response: { status: 200, schema: orgSchema },
    handler: async ({ caller, body }, { database }) => {
      const changes = toFields(orgChangesSchema, body);
      await checkDeputy(database, caller.orgId, changes.approvalsEscalationUserId);
      if (setsAny(changes)) await updateOrg(database, caller, changes);
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
    summary: 'Make it your active organization, which your requests use unless they name another',
    description:
      'Open sockets and streams stay with their organization. To use another organization for a single request, send the header `X-Org-Id`.',
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
    const runs = runIds.map((runId) => agentWorkflowRunId({ orgId, runId }));
    // Their sub-agents end with them.
    const conversations = chatIds.map((chatId) => conversationId({ orgId, chatId }));
    await terminateWorkflows(temporal, [...runs, ...conversations], 'its organization was deleted');
    await startOrgPurge(temporal, orgId);
  };
  work().catch((error: unknown) => {
    log.warn({ err: error, orgId }, 'a deleted organization could not be purged; the housekeeping will do it');
  });
}

/** Rejects a member to whom approvals are to be escalated, but who may not decide about them. */
async function checkDeputy(database: TenantDatabase, orgId: string, userId: string | null | undefined): Promise<void> {
  if (userId == null) return;
  const [member] = await findMembers(database, orgId, [userId]);
  if (member === undefined) throw notFound('Member');
  if (member.policy !== null && policyAllows(member.policy, 'approvals.manage')) return;
  const msg = 'may not decide about approvals: the permission approvals.manage is missing';
  throw fieldIssue('approvals_escalation_user_id', msg);
}
