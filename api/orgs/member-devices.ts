import { listDevices, revokeDevice } from '../../db/device-tokens/index.ts';
import { getMember } from '../../db/orgs/index.ts';
import { rejectUnlessAbove } from '../../domain/orgs/index.ts';
import { presenter } from '../../domain/core/record-names.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery } from '../http/fields.ts';
import { idParams } from '../resources/id-fields.ts';
import { deviceSchema } from '../users/index.ts';

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
