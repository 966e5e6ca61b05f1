import type { SessionClient } from '../../db/sessions/index.ts';
import { plainLine } from '../../domain/core/plain-line.ts';

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
