import { openSessionByPassword } from '../../db/sessions/index.ts';
import { getUser } from '../../db/users/index.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { checkPassword } from '../access/passwords/check-password.ts';
import { present } from '../../domain/core/record-names.ts';
import { defineRoute } from '../http/define-route.ts';
import { REFRESH_TOKEN_SECONDS } from '../access/tokens.ts';
import { userSchema } from '../users/index.ts';
import { issueTokens } from './issue-tokens.ts';
import { loginSchema, signInSchema } from './schema.ts';
import { sessionClientOf } from './session-client.ts';

/** Signs in by password. An unknown address and a wrong password get the same response in the same time. */
export const loginRoute = defineRoute({
  method: 'post',
  path: '/api/auth/login',
  resource: 'auth',
  action: 'login',
  access: 'public',
  tag: 'Authentication',
  operationId: 'login',
  summary: 'Sign in',
  description: 'An unknown address and a wrong password get the same response in the same time.',
  body: loginSchema,
  errors: [401, 429],
  response: { status: 200, description: 'The tokens of a new session, and who signed in', schema: signInSchema },
  handler: async ({ body, ip, header, noteUser }, context) => {
    const { database, tokens } = context;
    const checked = await checkPassword(context, { ...body, ip, noteUser });
    if (checked === undefined) throw wrong();
    const { userId } = checked;
    const session = await openSessionByPassword(database, {
      ...checked,
      lifetimeSeconds: REFRESH_TOKEN_SECONDS,
      client: sessionClientOf({ ip, header }),
    });
    if (session === undefined) throw wrong();
    return { ...(await issueTokens(tokens, session)), user: present(userSchema, await getUser(database, userId)) };
  },
});

function wrong(): AppError {
  return new AppError('unauthenticated', 'The e-mail address or the password is wrong');
}
