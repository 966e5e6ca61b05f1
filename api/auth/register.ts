import { registerInvited } from '../../db/invites/index.ts';
import { openSession } from '../../db/sessions/index.ts';
import { getUser } from '../../db/users/index.ts';
import { registerUser } from '../../db/membership-changes/index.ts';
import { AppError } from '../../domain/core/app-error.ts';
import type { ApiContext } from '../context/api-context.ts';
import { rememberSignIn } from '../access/passwords/check-password.ts';
import { present } from '../../domain/core/record-names.ts';
import { defineRoute } from '../http/define-route.ts';
import { findInviteByToken } from '../invites/index.ts';
import { hashPassword } from '../access/passwords/password.ts';
import { REFRESH_TOKEN_SECONDS } from '../access/tokens.ts';
import { userSchema } from '../users/index.ts';
import { issueTokens } from './issue-tokens.ts';
import { registrationSchema, signInSchema } from './schema.ts';
import { sessionClientOf } from './session-client.ts';

/**
 * Makes an account and signs it in: with a personal organization, or with an invite as an account that the inviting
 * organization manages.
 */
export const registerRoute = defineRoute({
  method: 'post',
  path: '/api/auth/register',
  resource: 'auth',
  action: 'register',
  access: 'public',
  tag: 'Authentication',
  operationId: 'register',
  summary: 'Create an account with its own organization, or with an invite one that the inviting organization manages',
  description:
    'The response signs the account in. Without an invite the account gets its own organization; with one it belongs to the inviting organization, which manages it.',
  body: registrationSchema,
  errors: [403, 404, 409, 429],
  response: { status: 201, description: 'The tokens of a new session, and the new account', schema: signInSchema },
  handler: async ({ body, ip, header, noteUser, noteRecords }, context) => {
    const { database, tokens, limits } = context;
    await limits.registrations.take(ip);
    const inviteToken = body.invite_token ?? undefined;
    rejectUnlessOpen(context.registration, inviteToken);
    const registration = { email: body.email, fullName: body.full_name ?? '', password: body.password };
    const { userId, inviteId } =
      inviteToken === undefined
        ? await registerAlone(context, registration)
        : await registerByInvite(context, registration, { token: inviteToken, ip });
    noteUser(userId);
    if (inviteId !== undefined) noteRecords(inviteId);
    await rememberSignIn(context, { userId, email: body.email, ip });
    const session = await openSession(database.system, {
      userId,
      lifetimeSeconds: REFRESH_TOKEN_SECONDS,
      client: sessionClientOf({ ip, header }),
    });
    return { ...(await issueTokens(tokens, session)), user: present(userSchema, await getUser(database, userId)) };
  },
});

interface Registration {
  readonly email: string;
  readonly fullName: string;
  readonly password: string;
}

interface Registered {
  readonly userId: string;
  readonly inviteId?: string;
}

async function registerAlone(
  { database }: ApiContext,
  { email, fullName, password }: Registration,
): Promise<Registered> {
  const orgName = `${fullName === '' ? email.slice(0, email.indexOf('@')) : fullName}'s organization`;
  return registerUser(database, { email, fullName, passwordHash: await hashPassword(password), orgName });
}

async function registerByInvite(
  context: ApiContext,
  { email, fullName, password }: Registration,
  place: { token: string; ip: string },
): Promise<Registered> {
  const { id: inviteId } = await findInviteByToken(context, place);
  const passwordHash = await hashPassword(password);
  const { userId } = await registerInvited(context.database, { inviteId, email, fullName, passwordHash });
  return { userId, inviteId };
}

function rejectUnlessOpen(registration: ApiContext['registration'], inviteToken: string | undefined): void {
  if (registration === 'closed') throw new AppError('forbidden', 'Registration is closed on this server');
  if (registration === 'invite' && inviteToken === undefined) {
    throw new AppError('forbidden', 'Registration needs an invite on this server');
  }
}
