import type { z } from 'zod';
import type { Session } from '../../db/sessions/index.ts';
import { ACCESS_TOKEN_SECONDS, type SessionTokens } from '../access/tokens.ts';
import type { tokensSchema } from './schema.ts';

/** Returns the token pair of a session at its generation, issued at the generation's start. */
export async function issueTokens(
  tokens: SessionTokens,
  { id, generation, refreshedAt }: Omit<Session, 'userId'>,
): Promise<z.input<typeof tokensSchema>> {
  // The database's clock may be ahead of ours, and a token from the future is rejected.
  const issuedAt = new Date(Math.min(refreshedAt.getTime(), Date.now()));
  const session = { sessionId: id, generation, issuedAt };
  return {
    access_token: await tokens.issue('access', session),
    refresh_token: await tokens.issue('refresh', session),
    token_type: 'bearer',
    expires_in: ACCESS_TOKEN_SECONDS - Math.floor((Date.now() - issuedAt.getTime()) / 1000),
  };
}
