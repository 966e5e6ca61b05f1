import { listDevices, revokeDevice } from '../../db/device-tokens/index.ts';
import { presenter } from '../../domain/core/record-names.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery } from '../http/fields.ts';
import { idParams } from '../resources/id-fields.ts';
import { deviceSchema } from './schema.ts';

const head = { resource: 'devices', access: 'signed_in', tag: 'Users' } as const;

export const deviceRoutes = [
  defineRoute({
    ...head,
    method: 'get',
    path: '/api/users/me/devices',
    operationId: 'listDevices',
    summary: 'Your signed-in devices',
    query: pageQuery,
    response: { status: 200, schema: deviceSchema.array() },
    handler: async ({ caller: { userId }, query, answerPage }, { database }) =>
      answerPage(await listDevices(database, { userId }, query)).map(presenter(deviceSchema)),
  }),
  defineRoute({
    ...head,
    method: 'delete',
    path: '/api/users/me/devices/{device_id}',
    operationId: 'revokeDevice',
    summary: 'Sign a device out; its token and its API key become invalid at once',
    params: idParams('device_id'),
    response: { status: 204 },
    handler: async ({ caller: { userId }, params }, { database }) => {
      await revokeDevice(database, { userId }, params.device_id);
    },
  }),
];
