import { announceAccessChange } from '../../db/auth/index.ts';
import { advanceSession } from '../../db/sessions/index.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { defineRoute } from '../core/define-route.ts';
import { REFRESH_TOKEN_SECONDS } from '../core/tokens.ts';
import { issueTokens } from './issue-tokens.ts';
import { refreshSchema, tokensSchema } from './schema.ts';

/** Changes a refresh token for a new pair. One that was used before ends its session: somebody holds a copy. */
export const refreshRoute = defineRoute({
  method: 'post',
  path: '/api/auth/refresh',
  access: 'public',
  tag: 'Authentication',
  summary: 'Get a new pair of tokens; the old refresh token is worthless from then on',
  body: refreshSchema,
  errors: [401],
  response: { status: 200, schema: tokensSchema },
  handler: async ({ body }, { database, tokens }) => {
    const claims = await tokens.read('refresh', body.refresh_token);
    if (claims === undefined) throw refusal();
    const { session, endedUserId } = await advanceSession(
      database,
      { id: claims.sessionId, generation: claims.generation },
      REFRESH_TOKEN_SECONDS,
    );
    if (endedUserId !== undefined) await announceAccessChange(database, endedUserId);
    if (session === undefined) throw refusal();
    return issueTokens(tokens, session);
  },
});

function refusal(): AppError {
  return new AppError('unauthenticated', 'The refresh token is invalid, expired or was used before; sign in again');
}
