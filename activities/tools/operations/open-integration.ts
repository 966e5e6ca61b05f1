import type { SecretBox } from '../../../db/core/secret-box.ts';
import type { TenantDatabase } from '../../../db/core/database.ts';
import {
  findConnectionByName,
  findConnectionOfKind,
  type IntegrationConnection,
  listConnectionsOfKind,
  noteUse,
} from '../../../db/integrations/connections.ts';
import type { IntegrationKindKey } from '../../../domain/integrations/kinds/index.ts';
import type { Secrets } from '../../../domain/integrations/integration-kind.ts';
import type { GuardedHttp } from '../../core/network/guarded-http.ts';
import { retryWhileDatabaseUnavailable } from '../../core/passing-error.ts';
import { openCredentials } from '../../integrations/open-credentials.ts';
import { TokenFailure } from '../../integrations/request-token.ts';
import type { OpenedIntegration, OpenIntegration, OpenIntegrationOfKind, Service } from '../context.ts';
import type { FindService } from './service-types.ts';
import { ToolFailure } from '../tool-failure.ts';
import { chosenOf, type ServiceAccount, servicesOf } from './services.ts';

interface OpenDeps {
  readonly database: Pick<TenantDatabase, 'tenant'>;
  readonly reads: IntegrationReads;
  readonly box: SecretBox;
  /** Renews tokens. */
  readonly http: GuardedHttp;
}

/** How a call reads the integrations of its organization. */
export interface IntegrationReads {
  readonly byName: (name: string) => Promise<IntegrationConnection | undefined>;
  readonly ofKind: (kinds: readonly IntegrationKindKey[]) => Promise<IntegrationConnection | undefined>;
  readonly listOfKind: (kinds: readonly IntegrationKindKey[]) => Promise<readonly IntegrationConnection[]>;
}

/**
 * Returns how a call reads the integrations of its organization, until the signal aborts. Each is read once: a call
 * uses what was compared with its approval, whatever changes in the meantime.
 */
export function integrationReads(
  database: Pick<TenantDatabase, 'tenant'>,
  orgId: string,
  signal: AbortSignal,
): IntegrationReads {
  const once = <Q, T>(read: (db: typeof database, org: string, question: Q) => Promise<T>) => {
    const answers = new Map<string, Promise<T>>();
    return async (question: Q): Promise<T> => {
      const key = JSON.stringify(question);
      const answer =
        answers.get(key) ?? retryWhileDatabaseUnavailable(signal, async () => read(database, orgId, question));
      answers.set(key, answer);
      return answer;
    };
  };
  return {
    byName: once(findConnectionByName),
    ofKind: once(findConnectionOfKind),
    listOfKind: once(listConnectionsOfKind),
  };
}

/** Returns how a call finds the integration of a service, without its secrets. */
export function findServiceBy({ listOfKind }: IntegrationReads): FindService {
  return async (kinds, name) => chosenOf(await listOfKind(kinds), name, kinds);
}

/** Returns how a call opens the integrations of its organization, until the signal aborts. */
export function integrationsOf(deps: OpenDeps, signal: AbortSignal): OpenIntegration {
  return async (name) => {
    const found = await deps.reads.byName(name);
    return found && open(deps, { ...found, name }, signal);
  };
}

/** Returns how a call opens an integration of its organization by its kind, until the signal aborts. */
export function integrationsOfKind(deps: OpenDeps, signal: AbortSignal): OpenIntegrationOfKind {
  return async (kinds) => {
    const found = await deps.reads.ofKind(kinds);
    return found && { ...(await open(deps, found, signal)), kind: found.kind };
  };
}

/** Returns how a call lists the accounts of its organization at services of some kinds, oldest first. */
export function serviceAccounts(deps: OpenDeps, signal: AbortSignal) {
  return async (kinds: readonly IntegrationKindKey[]): Promise<readonly ServiceAccount[]> =>
    (await deps.reads.listOfKind(kinds)).map((each) => accountOf(deps, each, signal));
}

/**
 * Opens the service of an integration for work that no call does, until the signal aborts. Throws `ToolFailure` when
 * its credentials cannot be used.
 */
export async function openServiceOf(
  deps: Omit<OpenDeps, 'reads'>,
  found: IntegrationConnection,
  signal: AbortSignal,
): Promise<Service> {
  const list = async () => [accountOf(deps, found, signal)];
  return servicesOf({ http: deps.http, list, isRepeated: false }, signal)([found.kind], undefined);
}

function accountOf(deps: Omit<OpenDeps, 'reads'>, found: IntegrationConnection, signal: AbortSignal): ServiceAccount {
  return {
    ...found,
    openSecrets: async (rejected) => (await open(deps, found, signal, rejected)).secrets,
    // The service's answer counts, whether this is stored or not.
    noteUse: async (rejection) => noteUse(deps.database, found, rejection).catch(() => undefined),
  };
}

async function open(
  deps: Omit<OpenDeps, 'reads'>,
  found: IntegrationConnection,
  signal: AbortSignal,
  rejected?: Secrets,
): Promise<OpenedIntegration> {
  const { name, apiUrl, fields, secretPlaces, commandVariables } = found;
  try {
    const secrets = await openCredentials(deps, found, signal, rejected);
    const renew = async (old: Secrets) => (await open(deps, found, signal, old)).secrets;
    return { name, apiUrl, fields, secretPlaces, commandVariables, secrets, renew };
  } catch (error) {
    if (!(error instanceof TokenFailure)) throw error;
    const kind = error.kind === 'unavailable' ? 'upstream' : 'denied';
    throw new ToolFailure(kind, `The integration ${name} cannot be used: ${error.message}`, { cause: error });
  }
}
