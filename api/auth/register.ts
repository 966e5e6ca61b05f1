import { openSession } from '../../db/sessions/index.ts';
import { getUser, registerUser } from '../../db/users/index.ts';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import type { ApiContext } from '../core/api-context.ts';
import { defineRoute } from '../core/define-route.ts';
import { hashPassword } from '../core/password.ts';
import { REFRESH_TOKEN_SECONDS } from '../core/tokens.ts';
import { presentUser } from '../users/index.ts';
import { issueTokens } from './issue-tokens.ts';
import { registrationSchema, signInSchema } from './schema.ts';

/** Makes an account with a personal organization, and signs it in. */
export const registerRoute = defineRoute({
  method: 'post',
  path: '/api/auth/register',
  access: 'public',
  tag: 'Authentication',
  summary: 'Create an account with an organization of its own',
  body: registrationSchema,
  errors: [403, 404, 409, 429],
  response: { status: 201, schema: signInSchema },
  handler: async ({ body, ip }, { database, registration, tokens, limits }) => {
    await limits.registrations.take(ip);
    refuseUnlessOpen(registration, body.invite_token);
    const fullName = body.full_name ?? '';
    const { userId } = await registerUser(database, {
      email: body.email,
      fullName,
      passwordHash: await hashPassword(body.password),
      orgName: `${fullName === '' ? body.email.slice(0, body.email.indexOf('@')) : fullName}'s organization`,
    });
    const session = await openSession(database, userId, REFRESH_TOKEN_SECONDS);
    return { ...(await issueTokens(tokens, session)), user: presentUser(await getUser(database, userId)) };
  },
});

function refuseUnlessOpen(registration: ApiContext['registration'], inviteToken: string | undefined): void {
  if (registration === 'closed') throw new AppError('forbidden', 'Registration is closed on this server');
  // An unknown, an expired and a used invite get the same answer; none has been handed out yet.
  if (inviteToken !== undefined) throw notFound('Invite');
  if (registration === 'invite') throw new AppError('forbidden', 'Registration needs an invite on this server');
}
