import type { Logger } from 'pino';
import type { Database } from '../../db/core/database.ts';
import type { SecretBox } from '../../db/core/secret-box.ts';
import type { PrivateHosts } from '../../domain/network/addresses.ts';
import type { SignInInput, StoredResult } from '../../workflows/short/contract.ts';
import type { GuardedFetch } from '../core/network/guarded-fetch.ts';

/** The dependencies of sign-ins. */
export interface McpSignInDeps {
  readonly database: Database;
  readonly box: SecretBox;
  readonly fetch: GuardedFetch;
  readonly privateHosts: PrivateHosts;
  readonly log: Logger;
}

/**
 * Creates the activity that advances a person's sign-in at a server: it finds out where the person has to go, or
 * exchanges the code that they came back with. Nothing of it is in the workflow's history.
 */
export function createAdvanceMcpSignIn(deps: McpSignInDeps) {
  return async function advanceMcpSignIn(input: SignInInput): Promise<StoredResult> {
    // With it the SDK is loaded.
    const signIns = await import('./oauth/advance-mcp-sign-in.ts');
    return signIns.advanceMcpSignIn(deps, input);
  };
}
