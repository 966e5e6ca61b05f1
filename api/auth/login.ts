import { openSession } from '../../db/sessions/index.ts';
import { getUser } from '../../db/users/index.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { checkPassword } from '../core/check-password.ts';
import { defineRoute } from '../core/define-route.ts';
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
  handler: async ({ body, ip, noteUser }, context) => {
    const { database, tokens } = context;
    const userId = await checkPassword(context, { ...body, ip, noteUser });
    if (userId === undefined) throw new AppError('unauthenticated', 'The e-mail address or the password is wrong');
    const session = await openSession(database.system, { userId, lifetimeSeconds: REFRESH_TOKEN_SECONDS });
    return { ...(await issueTokens(tokens, session)), user: presentUser(await getUser(database, userId)) };
  },
});
