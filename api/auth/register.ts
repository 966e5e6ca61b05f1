import { hkdfSync } from 'node:crypto';
import type { Database } from '../../db/core/database.ts';
import { registerInvited } from '../../db/invites/accept-invite.ts';
import { registerUser } from '../../db/membership-changes/change-members.ts';
import { openSession } from '../../db/sessions.ts';
import { emptySince, getUser, setupIsDone } from '../../db/users/user.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { type FieldsOf, present, toFields } from '../../domain/core/record-names.ts';
import { isSame } from '../access/bearer.ts';
import { rememberSignIn } from '../access/passwords.ts';
import { REFRESH_TOKEN_SECONDS } from '../access/tokens.ts';
import type { ApiContext } from '../context/api-context.ts';
import { defineRoute } from '../http/define-route.ts';
import { findInviteByToken } from '../invites/find-invite.ts';
import { userSchema } from '../users/schema.ts';
import { issueTokens, sessionClientOf } from './sessions.ts';
import { registrationSchema, signInSchema } from './schema.ts';

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
  summary: 'Create an account: with its own organization or, with an invite, managed by the inviting organization',
  description:
    'The response signs the account in. Without an invite the account gets its own organization; with one it belongs to the inviting organization, which manages it. Where registration is not open, the first account on the server requires `setup_token`.',
  body: registrationSchema,
  errors: [403, 404, 409, 429],
  response: { status: 201, description: 'The tokens of a new session, and the new account', schema: signInSchema },
  handler: async ({ body, ip, header, noteUser, noteRecords }, context) => {
    const { database, tokens, limits } = context;
    await limits.registrations.take(ip);
    const { userId, inviteId } = await makeAccount(context, toFields(registrationSchema, body), ip);
    noteUser(userId);
    if (inviteId !== undefined) noteRecords(inviteId);
    await rememberSignIn(context, { userId, email: body.email, ip });
    const session = await openSession(database.system, {
      userId,
      lifetimeSeconds: REFRESH_TOKEN_SECONDS,
      refreshKeyId: tokens.keyId,
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

async function makeAccount(
  context: ApiContext,
  { inviteToken, setupToken, ...given }: FieldsOf<typeof registrationSchema>,
  ip: string,
): Promise<Registered> {
  const registration = { ...given, fullName: given.fullName ?? '' };
  if (setupToken != null) return registerFirst(context, registration, setupToken);
  if (context.registration === 'open' && inviteToken == null) return registerAlone(context, registration);
  if (context.registration !== 'closed' && inviteToken != null) {
    return registerByInvite(context, registration, { token: inviteToken, ip });
  }
  if ((await context.setupToken()) !== undefined) {
    throw new AppError('forbidden', 'The first account of this server needs the setup_token that the api has logged');
  }
  throw new AppError(
    'forbidden',
    context.registration === 'closed'
      ? 'Registration is closed on this server'
      : 'Registration needs an invite on this server',
  );
}

async function registerFirst(context: ApiContext, registration: Registration, token: string): Promise<Registered> {
  const expected = await context.setupToken();
  if (expected === undefined) throw setupIsDone();
  if (!isSame(token, expected)) {
    throw new AppError('forbidden', 'The setup token is wrong: copy it again from the log of the api');
  }
  return registerAlone(context, { ...registration, isFirst: true });
}

async function registerAlone(
  { database, passwords }: ApiContext,
  { email, fullName, password, isFirst = false }: Registration & { isFirst?: boolean },
): Promise<Registered> {
  const orgName = `${fullName === '' ? email.slice(0, email.indexOf('@')) : fullName}'s organization`;
  const passwordHash = await passwords.hash(password);
  return registerUser(database, { email, fullName, passwordHash, orgName, isFirst });
}

async function registerByInvite(
  context: ApiContext,
  { email, fullName, password }: Registration,
  invite: { token: string; ip: string },
): Promise<Registered> {
  const { id: inviteId } = await findInviteByToken(context, invite);
  const passwordHash = await context.passwords.hash(password);
  const { userId } = await registerInvited(context.database, { inviteId, email, fullName, passwordHash });
  return { userId, inviteId };
}

/**
 * Creates the function that derives the setup token: from `SECRET_KEY`, so that every api process knows it without
 * storing it, and from the age of the database, so that a new database under the same key has another token.
 */
export function createSetupToken(
  database: Database,
  [secretKey]: readonly [string, ...string[]],
): ApiContext['setupToken'] {
  return async () => {
    const since = await emptySince(database);
    if (since === undefined) return undefined;
    const secret = hkdfSync('sha256', secretKey, since.toISOString(), 'setup token', 24);
    return `et_setup_${Buffer.from(secret).toString('hex')}`;
  };
}

/**
 * Logs where to create the first account, while there is none, together with the setup token that this needs. Where
 * registration is open, no token is needed.
 */
export async function logSetupToken({
  registration,
  setupToken,
  publicUrl,
  log,
}: Pick<ApiContext, 'registration' | 'setupToken' | 'publicUrl' | 'log'>): Promise<void> {
  const token = registration === 'open' ? undefined : await setupToken();
  if (token === undefined) return;
  log.warn(
    `nobody has an account on this server yet: create the first one at ${publicUrl}/register?setup_token=${token}`,
  );
}
