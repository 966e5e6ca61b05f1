import type { SecretBox, TenantDatabase } from '../../../db/core/index.ts';
import {
  findConnectionByName,
  findConnectionOfKind,
  type IntegrationConnection,
  listConnectionsOfKind,
  noteUse,
  openSecrets,
} from '../../../db/integrations/index.ts';
import type { IntegrationKindKey } from '../../../domain/integrations/index.ts';
import { retryWhileDatabaseUnavailable } from '../../core/retry-while-database-unavailable.ts';
import type { OpenedIntegration, OpenIntegration, OpenIntegrationOfKind } from '../context.ts';
import { ToolFailure } from '../tool-failure.ts';
import type { ServiceAccount } from './services/open-service.ts';

interface OpenDeps {
  readonly database: TenantDatabase;
  readonly box: SecretBox;
}

/** Returns how a call opens the integrations of its organization, until the signal aborts. */
export function integrationsOf({ database, box }: OpenDeps, orgId: string, signal: AbortSignal): OpenIntegration {
  return async (name) => {
    const found = await retryWhileDatabaseUnavailable(signal, async () => findConnectionByName(database, orgId, name));
    return found && open(box, found, name);
  };
}

/** Returns how a call opens an integration of its organization by its kind, until the signal aborts. */
export function integrationsOfKind(
  { database, box }: OpenDeps,
  orgId: string,
  signal: AbortSignal,
): OpenIntegrationOfKind {
  return async (kinds) => {
    const found = await retryWhileDatabaseUnavailable(signal, async () => findConnectionOfKind(database, orgId, kinds));
    return found && { ...open(box, found, found.name), kind: found.kind };
  };
}

/** Returns how a call opens all integrations of its organization of some kinds, oldest first. */
export function allIntegrationsOfKind({ database, box }: OpenDeps, orgId: string, signal: AbortSignal) {
  return async (kinds: readonly IntegrationKindKey[]) => {
    const all = await retryWhileDatabaseUnavailable(signal, async () => listConnectionsOfKind(database, orgId, kinds));
    return all.map((each) => ({ ...open(box, each, each.name), kind: each.kind }));
  };
}

/** Returns how a call lists the accounts of its organization at services of some kinds, oldest first. */
export function serviceAccounts({ database, box }: OpenDeps, orgId: string, signal: AbortSignal) {
  return async (kinds: readonly IntegrationKindKey[]): Promise<readonly ServiceAccount[]> => {
    const all = await retryWhileDatabaseUnavailable(signal, async () => listConnectionsOfKind(database, orgId, kinds));
    return all.map((each) => ({
      ...each,
      openSecrets: () => open(box, each, each.name).secrets,
      // What the service has done counts, whether this is remembered or not.
      noteUse: async (rejection) => noteUse(database, each, rejection).catch(() => undefined),
    }));
  };
}

function open(box: SecretBox, found: IntegrationConnection, name: string): OpenedIntegration {
  const { apiUrl, fields, secretPlaces, commandVariables } = found;
  try {
    return { name, apiUrl, fields, secretPlaces, commandVariables, secrets: openSecrets(box, found) };
  } catch (error) {
    throw new ToolFailure('denied', `The credentials of the integration ${name} cannot be decrypted`, { cause: error });
  }
}
