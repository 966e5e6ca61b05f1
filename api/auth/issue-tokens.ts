import type { z } from 'zod';
import type { Session, SessionClient } from '../../db/sessions.ts';
import { plainLine } from '../../domain/core/text.ts';
import { ACCESS_TOKEN_SECONDS, type SessionTokens } from '../access/tokens.ts';
import type { accessTokenSchema, tokensSchema } from './schema.ts';

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

/** What a request tells about the program that sent it. */
interface ClientRequest {
  readonly ip: string;
  header(name: string): string | undefined;
}

/** Returns what the list of sign-ins shows of the client that opens or refreshes a session. */
export function sessionClientOf({ ip, header }: ClientRequest): SessionClient {
  const userAgent = plainLine(header('user-agent') ?? '', MAX_USER_AGENT);
  return { userAgent: userAgent === '' ? null : userAgent, ipAddress: ip === '' ? null : ip };
}
