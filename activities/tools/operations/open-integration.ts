import type { SecretBox, TenantDatabase } from '../../../db/core/index.ts';
import { findConnectionByName, openSecrets } from '../../../db/integrations/index.ts';
import { retryWhileDatabaseUnavailable } from '../../core/retry-while-database-unavailable.ts';
import type { OpenIntegration } from '../context.ts';
import { ToolFailure } from '../tool-failure.ts';

interface OpenDeps {
  readonly database: TenantDatabase;
  readonly box: SecretBox;
}

/** Returns how a call opens the integrations of its organization, until the signal aborts. */
export function integrationsOf({ database, box }: OpenDeps, orgId: string, signal: AbortSignal): OpenIntegration {
  return async (name) => {
    const found = await retryWhileDatabaseUnavailable(signal, async () => findConnectionByName(database, orgId, name));
    if (found === undefined) return undefined;
    const { apiUrl, fields, secretPlaces } = found;
    try {
      return { name, apiUrl, fields, secretPlaces, secrets: openSecrets(box, found) };
    } catch (error) {
      throw new ToolFailure('denied', `The credentials of the integration ${name} cannot be decrypted`, {
        cause: error,
      });
    }
  };
}
