import { readFile } from 'node:fs/promises';
import { z } from 'zod';

interface WelcomeOptions {
  readonly url: string;
  readonly home: string;
  readonly seconds: number;
  /** How one gets an account; undefined if that is not known. */
  readonly registration: Registration | undefined;
}

/** The block that says, once everything runs, where things are and how to try them. */
export function welcome({ url, home, seconds, registration }: WelcomeOptions): string {
  return `
Everturn is ready (${seconds.toFixed(1)} s).

  Address    ${url}
  API        ${url}/docs
  Data       ${home}
  Logs       ${home}/logs
  Stop       Ctrl-C (nothing is lost)
${firstSteps(url, registration)}`;
}

function firstSteps(url: string, registration: Registration | undefined): string {
  if (registration?.kind === 'open') return commands(url);
  if (registration?.kind !== 'empty') return '';
  const { link, log } = registration;
  if (link !== undefined) return `\nNobody has an account yet. Create the first one at\n\n  ${link}\n`;
  return `\nNobody has an account yet. With LOG_LEVEL=warn or lower the link that creates the first one is in\n\n  ${log}\n`;
}

/** Commands that try the api with an account of their own: where registration is not open, the first is refused. */
function commands(url: string): string {
  return `
To try it, paste this into another terminal:

  API=${url}/api
  json() { node -pe "JSON.parse(require('fs').readFileSync(0))$1"; }
  TOKEN=$(curl -s $API/auth/register -H 'content-type: application/json' \\
    -d '{"email":"me-'$(date +%s)'@example.com","password":"correct horse battery"}' | json .access_token)
  AGENT=$(curl -s $API/agents -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' \\
    -d '{"name":"Helper"}' | json .id)
  CHAT=$(curl -s $API/chats -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' \\
    -d '{"agent_id":"'$AGENT'"}' | json .id)
  curl -N $API/chats/$CHAT/stream -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' \\
    -d '{"content":"Hello! What can you do?"}'
`;
}

/** How one gets an account on a server: by registering, by the link to its first account, or by an invitation. */
type Registration =
  | { readonly kind: 'open' | 'invite' }
  | { readonly kind: 'empty'; readonly log: string; readonly link: string | undefined };

const LIMIT_MS = 5_000;
const LINK = /https?:\/\/[^\s"]+\/register\?setup_token=et_setup_[0-9a-f]+/g;
const server = z.object({ registration: z.string(), needs_setup_token: z.boolean() });

/**
 * Asks the api that runs how one gets an account on it, and reads the link to the first one from its log. Undefined if
 * it does not say.
 */
export async function registrationOf(url: string, log: string): Promise<Registration | undefined> {
  try {
    const response = await fetch(`${url}/api/server`, { signal: AbortSignal.timeout(LIMIT_MS) });
    const { registration, needs_setup_token: isEmpty } = server.parse(await response.json());
    if (!isEmpty) return { kind: registration === 'open' ? 'open' : 'invite' };
    // An earlier database had another token: the last one counts.
    return { kind: 'empty', log, link: (await readFile(log, 'utf8')).match(LINK)?.at(-1) };
  } catch {
    return undefined;
  }
}
