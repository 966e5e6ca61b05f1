import { hkdfSync } from 'node:crypto';
import type { Database } from '../../../db/core/index.ts';
import { emptySince } from '../../../db/users/index.ts';
import type { ApiContext } from '../../context/api-context.ts';

/**
 * Creates the function that derives the setup token: from `SECRET_KEY`, so that every api process knows it without
 * storing it, and from the age of the database, so that a new database under the same key has another token.
 */
export function createSetupToken(
  database: Database,
  [secretKey]: readonly [string, ...string[]],
): ApiContext['setupToken'] {
  return async () => {
    const since = await emptySince(database);
    if (since === undefined) return undefined;
    const secret = hkdfSync('sha256', secretKey, since.toISOString(), 'setup token', 24);
    return `et_setup_${Buffer.from(secret).toString('hex')}`;
  };
}

/**
 * Logs where the first account is made while there is none; the token stands in the log for the operator to read. Where
 * registration is open, that account needs no token.
 */
export async function logSetupToken({
  registration,
  setupToken,
  publicUrl,
  log,
}: Pick<ApiContext, 'registration' | 'setupToken' | 'publicUrl' | 'log'>): Promise<void> {
  const token = registration === 'open' ? undefined : await setupToken();
  if (token === undefined) return;
  log.warn(
    `nobody has an account on this server yet: create the first one at ${publicUrl}/register?setup_token=${token}`,
  );
}
