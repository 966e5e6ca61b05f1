import { getUser } from '../../db/users/index.ts';
import { present } from '../../domain/core/record-names.ts';
import { defineRoute } from '../http/define-route.ts';
import { changeEmailRoute } from './change-email.ts';
import { deviceRoutes } from './devices.ts';
import { userSchema } from './schema.ts';
import { sessionRoutes } from './sessions.ts';
import { updateMeRoute } from './update-me.ts';

export const userRoutes = [
  defineRoute({
    method: 'get',
    path: '/api/users/me',
    resource: 'users',
    access: 'signed_in',
    tag: 'Users',
    operationId: 'getCurrentUser',
    summary: 'Who you are',
    response: { status: 200, schema: userSchema },
    handler: async ({ caller }, { database }) => present(userSchema, await getUser(database, caller.userId)),
  }),
  updateMeRoute,
  changeEmailRoute,
  ...deviceRoutes,
  ...sessionRoutes,
];
