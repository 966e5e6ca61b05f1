import type { SecretBox, TenantDatabase } from '../../../db/core/index.ts';
import {
  findConnectionByName,
  findConnectionOfKind,
  type IntegrationConnection,
  listConnectionsOfKind,
  noteUse,
} from '../../../db/integrations/index.ts';
import type { IntegrationKindKey, Secrets } from '../../../domain/integrations/index.ts';
import type { GuardedHttp } from '../../core/network/guarded-http.ts';
import { retryWhileDatabaseUnavailable } from '../../core/retry-while-database-unavailable.ts';
import { openCredentials, TokenFailure } from '../../integrations/index.ts';
import type { OpenedIntegration, OpenIntegration, OpenIntegrationOfKind } from '../context.ts';
import { ToolFailure } from '../tool-failure.ts';
import type { ServiceAccount } from './services/open-service.ts';

interface OpenDeps {
  readonly database: TenantDatabase;
  readonly box: SecretBox;
  /** Renews tokens. */
  readonly http: GuardedHttp;
}

/** Returns how a call opens the integrations of its organization, until the signal aborts. */
export function integrationsOf(deps: OpenDeps, orgId: string, signal: AbortSignal): OpenIntegration {
  return async (name) => {
    const find = async () => findConnectionByName(deps.database, orgId, name);
    const found = await retryWhileDatabaseUnavailable(signal, find);
    return found && open(deps, { ...found, name }, signal);
  };
}

/** Returns how a call opens an integration of its organization by its kind, until the signal aborts. */
export function integrationsOfKind(deps: OpenDeps, orgId: string, signal: AbortSignal): OpenIntegrationOfKind {
  return async (kinds) => {
    const find = async () => findConnectionOfKind(deps.database, orgId, kinds);
    const found = await retryWhileDatabaseUnavailable(signal, find);
    return found && { ...(await open(deps, found, signal)), kind: found.kind };
  };
}

/** Returns how a call lists the accounts of its organization at services of some kinds, oldest first. */
export function serviceAccounts(deps: OpenDeps, orgId: string, signal: AbortSignal) {
  return async (kinds: readonly IntegrationKindKey[]): Promise<readonly ServiceAccount[]> => {
    const find = async () => listConnectionsOfKind(deps.database, orgId, kinds);
    const all = await retryWhileDatabaseUnavailable(signal, find);
    return all.map((each) => ({
      ...each,
      openSecrets: async (rejected) => (await open(deps, each, signal, rejected)).secrets,
      // What the service has done counts, whether this is remembered or not.
      noteUse: async (rejection) => noteUse(deps.database, each, rejection).catch(() => undefined),
    }));
  };
}

async function open(
  deps: OpenDeps,
  found: IntegrationConnection,
  signal: AbortSignal,
  rejected?: Secrets,
): Promise<OpenedIntegration> {
  const { name, apiUrl, fields, secretPlaces, commandVariables } = found;
  try {
    const secrets = await openCredentials(deps, found, signal, rejected);
    return { name, apiUrl, fields, secretPlaces, commandVariables, secrets };
  } catch (error) {
    if (!(error instanceof TokenFailure)) throw error;
    const kind = error.kind === 'unavailable' ? 'upstream' : 'denied';
    throw new ToolFailure(kind, `The integration ${name} cannot be used: ${error.message}`, { cause: error });
  }
}
