import { endSession } from '../../db/sessions/index.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { defineRoute } from '../http/define-route.ts';

/** Ends the session of the access token that the request carries. */
export const logoutRoute = defineRoute({
  method: 'post',
  path: '/api/auth/logout',
  resource: 'auth',
  action: 'logout',
  access: 'signed_in',
  tag: 'Authentication',
  operationId: 'logout',
  summary: 'Sign out: the access and refresh tokens of this session become invalid',
  errors: [400],
  response: { status: 204 },
  handler: async ({ caller }, { database }) => {
    if (caller.sessionId === undefined) throw new AppError('invalid', 'An API key has no session; revoke it instead');
    await endSession(database, caller.sessionId);
  },
});
