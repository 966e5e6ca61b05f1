import type { z } from 'zod';
import type { Session } from '../../db/sessions/index.ts';
import { ACCESS_TOKEN_SECONDS, type SessionTokens } from '../access/tokens.ts';
import type { tokensSchema } from './schema.ts';

/** The pair of tokens for a session at its generation, good from when that began. */
export async function issueTokens(
  tokens: SessionTokens,
  { id, generation, refreshedAt }: Omit<Session, 'userId'>,
): Promise<z.input<typeof tokensSchema>> {
  // The clock of the database may be ahead of ours, and a token from the future is not taken.
  const issuedAt = new Date(Math.min(refreshedAt.getTime(), Date.now()));
  const session = { sessionId: id, generation, issuedAt };
  return {
    access_token: await tokens.issue('access', session),
    refresh_token: await tokens.issue('refresh', session),
    token_type: 'bearer',
    expires_in: ACCESS_TOKEN_SECONDS - Math.floor((Date.now() - issuedAt.getTime()) / 1000),
  };
}
