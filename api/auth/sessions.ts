import type { z } from 'zod';
import {
  advanceSession,
  endSession,
  openSessionByPassword,
  type Session,
  type SessionClient,
} from '../../db/sessions.ts';
import { plainLine } from '../../domain/core/text.ts';
import {
  ACCESS_TOKEN_SECONDS,
  isTokenValue,
  publicPartOf,
  REFRESH_TOKEN_SECONDS,
  type SessionTokens,
} from '../access/tokens.ts';
import { type accessTokenSchema, loginSchema, refreshSchema, signInSchema, tokensSchema } from './schema.ts';
import { findDeviceLogin, markDeviceUsed } from '../../db/device-tokens.ts';
import { getUser } from '../../db/users/user.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { present } from '../../domain/core/record-names.ts';
import { checkPassword } from '../access/passwords.ts';
import type { ApiContext } from '../context/api-context.ts';
import { defineRoute } from '../http/define-route.ts';
import { userSchema } from '../users/schema.ts';

/** Returns the token pair of a session at its generation, issued at the generation's start. */
export async function issueTokens(
  tokens: SessionTokens,
  { id, generation, refreshedAt }: Omit<Session, 'userId'>,
): Promise<z.input<typeof tokensSchema>> {
  const session = { sessionId: id, generation, issuedAt: pastOf(refreshedAt) };
  return {
    ...(await issueAccessToken(tokens, { id, generation, refreshedAt })),
    refresh_token: await tokens.issue('refresh', session),
  };
}

/** Returns an access token of a session, issued when that was last refreshed. */
export async function issueAccessToken(
  tokens: SessionTokens,
  { id, generation, refreshedAt }: Omit<Session, 'userId'>,
): Promise<Omit<z.input<typeof accessTokenSchema>, 'user_id'>> {
  const issuedAt = pastOf(refreshedAt);
  return {
    access_token: await tokens.issue('access', { sessionId: id, generation, issuedAt }),
    token_type: 'bearer',
    expires_in: ACCESS_TOKEN_SECONDS - Math.floor((Date.now() - issuedAt.getTime()) / 1000),
  };
}

// The database's clock may be ahead of ours, and a token from the future is rejected.
function pastOf(time: Date): Date {
  return new Date(Math.min(time.getTime(), Date.now()));
}

const MAX_USER_AGENT = 300;

/** What a request says about the program that sent it. */
interface ClientRequest {
  readonly ip: string;
  header(name: string): string | undefined;
}

/** Returns what the list of sign-ins shows of the client that opens or refreshes a session. */
export function sessionClientOf({ ip, header }: ClientRequest): SessionClient {
  const userAgent = plainLine(header('user-agent') ?? '', MAX_USER_AGENT);
  return { userAgent: userAgent === '' ? null : userAgent, ipAddress: ip === '' ? null : ip };
}

/** Signs in by password. An unknown address and a wrong password produce the same response in the same time. */
export const loginRoute = defineRoute({
  method: 'post',
  path: '/api/auth/login',
  resource: 'auth',
  action: 'login',
  access: 'public',
  tag: 'Authentication',
  operationId: 'login',
  summary: 'Sign in',
  description: 'An unknown address and a wrong password produce the same response in the same time.',
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
      refreshKeyId: tokens.keyId,
      client: sessionClientOf({ ip, header }),
    });
    if (session === undefined) throw wrong();
    return { ...(await issueTokens(tokens, session)), user: present(userSchema, await getUser(database, userId)) };
  },
});

function wrong(): AppError {
  return new AppError('unauthenticated', 'The e-mail address or the password is wrong');
}

/** Ends the session of the request's access token. */
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

/**
 * Exchanges a refresh token for a new pair. A token that was used within the last 30 seconds returns the same pair
 * again, unless that pair was used itself: a response may be lost, and two tabs may ask at once. A token that was used
 * earlier ends its session: somebody has a copy. A device's token stays the same until it expires or is revoked, and is
 * returned as the refresh token of the pair.
 */
export const refreshRoute = defineRoute({
  method: 'post',
  path: '/api/auth/refresh',
  resource: 'auth',
  action: 'refresh',
  access: 'public',
  tag: 'Authentication',
  operationId: 'refreshTokens',
  summary: 'Exchange a refresh token or a device token for a new pair of tokens',
  description:
    'A refresh token that is sent again within 30 seconds returns the same pair, unless that pair was already used, so a lost response can be requested again. Reuse after that ends the session, because somebody must have a copy of the token. A device token stays the same until it expires or is revoked.',
  body: refreshSchema,
  audit: false,
  errors: [401],
  response: { status: 200, description: 'A new pair of tokens', schema: tokensSchema },
  handler: async ({ body: { refresh_token: token }, ip, header, noteUser }, context) => {
    const publicId = publicPartOf('et_dev', token);
    if (publicId !== undefined) return refreshDevice(context, token, publicId);
    return refreshSession(context, token, { client: sessionClientOf({ ip, header }), noteUser });
  },
});

interface RefreshRequest {
  readonly client: SessionClient;
  readonly noteUser: (userId: string) => void;
}

async function refreshSession({ database, tokens }: ApiContext, token: string, { client, noteUser }: RefreshRequest) {
  const claims = await tokens.read('refresh', token);
  if (claims === undefined) throw invalidRefreshToken();
  const { session, endedUserId } = await advanceSession(
    database,
    { id: claims.sessionId, generation: claims.generation },
    { lifetimeSeconds: REFRESH_TOKEN_SECONDS, client, refreshKeyId: tokens.keyId },
  );
  if (endedUserId !== undefined) {
    noteUser(endedUserId);
  }
  if (session === undefined) throw invalidRefreshToken();
  return issueTokens(tokens, session);
}

async function refreshDevice({ database, tokens }: ApiContext, token: string, publicId: string) {
  const device = await findDeviceLogin(database, publicId);
  if (device === undefined || !isTokenValue(token, device.secretHash)) throw invalidRefreshToken();
  await markDeviceUsed(database, device.id);
  const issued = await issueTokens(tokens, { ...device.session, refreshedAt: new Date() });
  return { ...issued, refresh_token: token };
}

function invalidRefreshToken(): AppError {
  return new AppError('unauthenticated', 'The refresh token is invalid, expired or was used before; sign in again');
}
