import { openSession } from '../../db/sessions/index.ts';
import { findLogin, getUser } from '../../db/users/index.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { defineRoute } from '../core/define-route.ts';
import { isPassword } from '../core/password.ts';
import { REFRESH_TOKEN_SECONDS } from '../core/tokens.ts';
import { presentUser } from '../users/index.ts';
import { issueTokens } from './issue-tokens.ts';
import { loginSchema, signInSchema } from './schema.ts';

/** Signs in by password. An unknown address and a wrong password get the same answer in the same time. */
export const loginRoute = defineRoute({
  method: 'post',
  path: '/api/auth/login',
  access: 'public',
  tag: 'Authentication',
  summary: 'Sign in',
  body: loginSchema,
  errors: [401, 429],
  response: { status: 200, schema: signInSchema },
  handler: async ({ body, ip }, { database, tokens, limits }) => {
    await limits.loginsOfAddress.check(ip);
    await limits.loginsOfAccount.check(body.email);
    const login = await findLogin(database, body.email);
    const isTheirs = await isPassword(body.password, login?.passwordHash ?? null);
    if (login === undefined || !isTheirs) {
      await limits.loginsOfAddress.take(ip);
      await limits.loginsOfAccount.take(body.email);
      throw new AppError('unauthenticated', 'The e-mail address or the password is wrong');
    }
    await limits.loginsOfAccount.forget(body.email);
    const session = await openSession(database, login.userId, REFRESH_TOKEN_SECONDS);
    return { ...(await issueTokens(tokens, session)), user: presentUser(await getUser(database, login.userId)) };
  },
});
