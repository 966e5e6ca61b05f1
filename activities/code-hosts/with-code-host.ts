import type { SecretBox } from '../../db/core/secret-box.ts';
import type { Database } from '../../db/core/database.ts';
import { type IntegrationConnection, noteCheck } from '../../db/integrations/connections.ts';
import { findRepository, type ProjectRef, type ProjectRepository } from '../../db/projects/projects.ts';
import { isRepositoryName, withoutGitSuffix } from '../../domain/projects.ts';
import type { GuardedHttp } from '../core/network/guarded-http.ts';
import { OwnerSlots } from '../core/owner-slots.ts';
import { openCredentials } from '../integrations/open-credentials.ts';
import { TokenFailure } from '../integrations/request-token.ts';
import { type CodeHost, CodeHostError, createCodeHost, HOST_KINDS } from './code-host.ts';

/** The dependencies of calling code hosts. */
export interface CodeHostDeps {
  readonly database: Pick<Database, 'payers' | 'tenant'>;
  readonly box: SecretBox;
  readonly http: GuardedHttp;
}

/** The slots of activities that reach code hosts. */
export const hostSlots = new OwnerSlots();

/**
 * Does `work` with the repository of a live project, by the credentials of the integration that it names, or without
 * any. Whether the credentials work is stored with the integration. Throws a `CodeHostError`, also when the project has
 * no repository, and the signal's reason once it has aborted.
 */
export async function withCodeHost<T>(
  deps: CodeHostDeps,
  project: ProjectRef,
  signal: AbortSignal,
  work: (host: CodeHost, repository: ProjectRepository) => Promise<T>,
): Promise<T> {
  const { database } = deps;
  const repository = await findRepository(database, project);
  if (repository === undefined) throw new CodeHostError('unsent', 'The project has no repository');
  const { integration } = repository;
  const note = async (error: string | null) => {
    if (integration === undefined) return;
    const { id: integrationId, connection } = integration;
    await noteCheck(database, { orgId: project.orgId, integrationId }, { connection, error });
  };
  try {
    const result = await work(await open(repository, deps, signal), repository);
    await note(null);
    return result;
  } catch (error) {
    if (error instanceof CodeHostError && error.isOfCredentials) await note(error.message);
    throw error;
  }
}

async function open(
  { url, kind, integration }: ProjectRepository,
  deps: CodeHostDeps,
  signal: AbortSignal,
): Promise<CodeHost> {
  const apiUrl = integration?.apiUrl ?? HOST_KINDS[kind].apiUrlAt(URL.parse(url)?.origin ?? '');
  const names = repositoryNames(url, apiUrl);
  if (names === undefined) throw new CodeHostError('unsent', 'The address of the project names no repository');
  if (integration === undefined) return createCodeHost(deps.http, { kind, apiUrl, names, token: undefined }, signal);
  const token = await tokenOf(integration, deps, signal);
  const renew = async (rejected: string) => tokenOf(integration, deps, signal, rejected);
  return createCodeHost(deps.http, { kind, apiUrl, names, token, renew }, signal);
}

async function tokenOf(
  integration: IntegrationConnection,
  deps: CodeHostDeps,
  signal: AbortSignal,
  rejected?: string,
): Promise<string | undefined> {
  try {
    const former = rejected === undefined ? {} : { token: rejected };
    return (await openCredentials(deps, integration, signal, former))['token'];
  } catch (error) {
    if (!(error instanceof TokenFailure)) throw error;
    const kind = error.kind === 'unavailable' ? 'unavailable' : 'unauthorized';
    throw new CodeHostError(kind, error.message, { cause: error });
  }
}

/**
 * Returns the names in the address of a repository: its owner or groups, and its own. Those of the folder that its
 * server is in are left out. Undefined when the address names no repository.
 */
function repositoryNames(repoUrl: string, apiUrl: string): readonly string[] | undefined {
  const [repository, api] = [URL.parse(repoUrl), URL.parse(apiUrl)];
  if (repository === null) return undefined;
  const parts = decodedParts(repository.pathname);
  const folder = api?.origin === repository.origin ? folderOf(api.pathname) : [];
  const isInFolder = folder.every((part, index) => parts?.[index] === part);
  const names = parts?.slice(isInFolder ? folder.length : 0);
  // GitLab puts what belongs to a repository behind a part of its own.
  const end = names?.indexOf('-') ?? -1;
  const own = end === -1 ? names : names?.slice(0, end);
  return own === undefined || own.length < 2 ? undefined : usableNames(own);
}

// Addresses that were stored before they were checked may have others.
function usableNames(parts: readonly string[]): readonly string[] | undefined {
  const names = parts.map((part, index) => (index > 0 ? withoutGitSuffix(part) : part));
  return names.every(isRepositoryName) ? names : undefined;
}

/** Returns the folder of a server whose API is at this path: what is before `/api/v4`. */
function folderOf(apiPath: string): readonly string[] {
  const parts = decodedParts(apiPath) ?? [];
  const end = parts.lastIndexOf('api');
  return end === -1 ? [] : parts.slice(0, end);
}

function decodedParts(path: string): string[] | undefined {
  try {
    return path
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent);
  } catch {
    return undefined;
  }
}
