import { readFile } from 'node:fs/promises';
import { z } from 'zod';

/** How one gets an account on a server: by registering, by the link to its first account, or by an invitation. */
export type Registration =
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
