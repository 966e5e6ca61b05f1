import type { z } from 'zod';
import type { Session } from '../../db/sessions/index.ts';
import { ACCESS_TOKEN_SECONDS, type SessionTokens } from '../core/tokens.ts';
import type { tokensSchema } from './schema.ts';

/** A new pair of tokens for a session. */
export async function issueTokens(
  tokens: SessionTokens,
  { id, generation }: Session,
): Promise<z.input<typeof tokensSchema>> {
  const session = { sessionId: id, generation };
  return {
    access_token: await tokens.issue('access', session),
    refresh_token: await tokens.issue('refresh', session),
    token_type: 'bearer',
    expires_in: ACCESS_TOKEN_SECONDS,
  };
}
