import { findPasswordLink, usePasswordLink } from '../../db/passwords.ts';
import { notFound } from '../../domain/core/app-error.ts';
import { defineRoute } from '../http/define-route.ts';
import { isTokenValue, publicPartOf } from '../access/tokens.ts';
import { linkedPasswordSchema } from './schema.ts';
import { browserSessionRoutes } from './browser-session.ts';
import { cliRoutes } from './cli-routes.ts';
import { loginRoute, logoutRoute, refreshRoute } from './sessions.ts';
import { registerRoute } from './register.ts';

/**
 * Sets the password of a managed account with a link that an administrator made. Any other token gets the same 404, and
 * counts like an invalid invite.
 */
const setPasswordRoute = defineRoute({
  method: 'post',
  path: '/api/auth/password',
  resource: 'users',
  action: 'update',
  access: 'public',
  tag: 'Authentication',
  operationId: 'setPasswordWithLink',
  summary: 'Set a password with a link from an administrator of your organization; you are signed out everywhere',
  description:
    'For accounts that an organization manages. A link that was used, was replaced or has expired returns the same 404 as a made-up one.',
  body: linkedPasswordSchema,
  errors: [404, 429],
  response: { status: 204 },
  handler: async ({ body: { token, password }, ip, noteUser }, { database, limits, passwords }) => {
    await limits.invitesOfAddress.check(ip);
    const publicId = publicPartOf('et_pwd', token);
    const link = publicId === undefined ? undefined : await findPasswordLink(database, publicId);
    if (link === undefined || !isTokenValue(token, link.secretHash)) {
      await limits.invitesOfAddress.take(ip);
      throw notFound('Link');
    }
    noteUser(link.userId, link.orgId);
    await usePasswordLink(database, link, await passwords.hash(password));
  },
});

export const authRoutes = [
  registerRoute,
  loginRoute,
  refreshRoute,
  logoutRoute,
  setPasswordRoute,
  ...browserSessionRoutes,
  ...cliRoutes,
];
