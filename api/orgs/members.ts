import { listDevices, revokeDevice } from '../../db/device-tokens.ts';
import { changeMemberRole, removeMember } from '../../db/membership-changes/index.ts';
import { getMember, listMembers } from '../../db/orgs/index.ts';
import { makePasswordLink } from '../../db/passwords.ts';
import { present, presenter } from '../../domain/core/record-names.ts';
import { rejectUnlessAbove } from '../../domain/orgs.ts';
import { newTokenValue, PASSWORD_LINK_SECONDS } from '../access/tokens.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery } from '../http/fields.ts';
import { idParams } from '../resources/id-fields.ts';
import { deviceSchema } from '../users/index.ts';
import { memberSchema, passwordLinkSchema, roleChangeSchema } from './schema.ts';

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

const head = { resource: 'devices', access: { org: 'admin' }, tag: 'Organizations' } as const;

export const memberDeviceRoutes = [
  defineRoute({
    ...head,
    method: 'get',
    path: '/api/orgs/{org_id}/members/{user_id}/devices',
    operationId: 'listMemberDevices',
    summary: "A member's devices signed in to this organization",
    params: idParams('org_id', 'user_id'),
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
    params: idParams('org_id', 'user_id', 'device_id'),
    response: { status: 204 },
    handler: async ({ caller, params }, { database }) => {
      const member = await getMember(database, { orgId: caller.orgId, userId: params.user_id });
      rejectUnlessAbove({ caller: caller.role, target: member.role, isSelf: member.userId === caller.userId });
      await revokeDevice(database, { orgId: caller.orgId, userId: member.userId }, params.device_id);
    },
  }),
];

/** Makes a link with which the user of a managed account sets a password: they have none, or have forgotten it. */
export const passwordLinkRoute = defineRoute({
  method: 'post',
  path: '/api/orgs/{org_id}/members/{user_id}/password-link',
  resource: 'members',
  action: 'password_link',
  access: { org: 'admin' },
  tag: 'Organizations',
  operationId: 'createPasswordLink',
  summary: 'Create a single-use link with which the user of a managed account sets a password',
  description:
    'It is valid for 24 hours; a newer one replaces it. 409 unless this organization manages the account, and its user is a viewer or member of this organization only.',
  params: idParams('org_id', 'user_id'),
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
