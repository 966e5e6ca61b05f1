import { announceAccessChange } from '../../db/auth/index.ts';
import { findDeviceLogin, markDeviceUsed } from '../../db/device-tokens/index.ts';
import { advanceSession } from '../../db/sessions/index.ts';
import { AppError } from '../../domain/core/app-error.ts';
import type { ApiContext } from '../core/api-context.ts';
import { defineRoute } from '../core/define-route.ts';
import { isTokenValue, publicPartOf } from '../core/token-value.ts';
import { REFRESH_TOKEN_SECONDS } from '../core/tokens.ts';
import { issueTokens } from './issue-tokens.ts';
import { refreshSchema, tokensSchema } from './schema.ts';

/**
 * Changes a refresh token for a new pair. One that was used before ends its session: somebody holds a copy. The token of a
 * device stays the same until it expires or is revoked, and comes back as the refresh token of the pair.
 */
export const refreshRoute = defineRoute({
  method: 'post',
  path: '/api/auth/refresh',
  access: 'public',
  tag: 'Authentication',
  summary: 'Get a new pair of tokens for a refresh token, which is worthless from then on, or for a device token',
  body: refreshSchema,
  audit: false,
  errors: [401],
  response: { status: 200, schema: tokensSchema },
  handler: async ({ body: { refresh_token: token }, noteUser }, context) => {
    const publicId = publicPartOf('et_dev', token);
    return publicId === undefined ? refreshSession(context, token, noteUser) : refreshDevice(context, token, publicId);
  },
});

async function refreshSession({ database, tokens }: ApiContext, token: string, noteUser: (userId: string) => void) {
  const claims = await tokens.read('refresh', token);
  if (claims === undefined) throw refusal();
  const { session, endedUserId } = await advanceSession(
    database,
    { id: claims.sessionId, generation: claims.generation },
    REFRESH_TOKEN_SECONDS,
  );
  if (endedUserId !== undefined) {
    noteUser(endedUserId);
    await announceAccessChange(database, endedUserId);
  }
  if (session === undefined) throw refusal();
  return issueTokens(tokens, session);
}

async function refreshDevice({ database, tokens }: ApiContext, token: string, publicId: string) {
  const device = await findDeviceLogin(database, publicId);
  if (device === undefined || !isTokenValue(token, device.secretHash)) throw refusal();
  await markDeviceUsed(database, device.id);
  return { ...(await issueTokens(tokens, device.session)), refresh_token: token };
}

function refusal(): AppError {
  return new AppError('unauthenticated', 'The refresh token is invalid, expired or was used before; sign in again');
}
