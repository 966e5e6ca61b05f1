import type { z } from 'zod';
import { announceAccessChange } from '../../db/auth/index.ts';
import { type Device, listDevices, revokeDevice } from '../../db/device-tokens/index.ts';
import { defineRoute } from '../http/define-route.ts';
import { idParams, pageQuery } from '../http/fields.ts';
import { deviceSchema } from './schema.ts';

const head = { access: 'signed_in', tag: 'Users' } as const;

export const deviceRoutes = [
  defineRoute({
    ...head,
    method: 'get',
    path: '/api/users/me/devices',
    operationId: 'listDevices',
    summary: 'Your devices that are signed in',
    query: pageQuery,
    response: { status: 200, schema: deviceSchema.array() },
    handler: async ({ caller: { userId }, query, answerPage }, { database }) =>
      answerPage(await listDevices(database, { userId }, query)).map(presentDevice),
  }),
  defineRoute({
    ...head,
    method: 'delete',
    path: '/api/users/me/devices/{device_id}',
    operationId: 'revokeDevice',
    summary: 'Sign a device out; its token and its API key are worthless at once',
    params: idParams('device_id'),
    response: { status: 204 },
    handler: async ({ caller: { userId }, params }, { database }) => {
      await revokeDevice(database, { userId }, params.device_id);
      await announceAccessChange(database, userId);
    },
  }),
];

/** A device as the API shows it. */
export function presentDevice(device: Device): z.input<typeof deviceSchema> {
  return {
    id: device.id,
    org_id: device.orgId,
    user_id: device.userId,
    name: device.name,
    platform: device.platform,
    last_used_at: device.lastUsedAt?.toISOString() ?? null,
    expires_at: device.expiresAt.toISOString(),
    created_at: device.createdAt.toISOString(),
    updated_at: device.updatedAt.toISOString(),
  };
}
