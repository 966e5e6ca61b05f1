import type { CodeHostKind } from '../../domain/projects.ts';
import type { TenantDatabase } from '../core/index.ts';
import { findConnection, type IntegrationConnection } from '../integrations/index.ts';

/** The repository of a project, and what it is reached with. */
export interface ProjectRepository {
  readonly url: string;
  readonly kind: CodeHostKind;
  /** Absent when the project names none: then its host is asked without credentials. */
  readonly integration: IntegrationConnection | undefined;
}

/** A project of an organization. */
export interface ProjectRef {
  readonly orgId: string;
  readonly projectId: string;
}

/** Returns the repository of a live project; undefined when there is no such project, or when it has no repository. */
export async function findRepository(
  database: TenantDatabase,
  { orgId, projectId }: ProjectRef,
): Promise<ProjectRepository | undefined> {
  const [row] = await database.tenant.query<{
    readonly url: string;
    readonly kind: CodeHostKind;
    readonly integrationId: string | null;
  }>(orgId, {
    name: 'find-repository',
    text: `select repo_url as url, repo_type as kind, integration_id as "integrationId" from projects
      where id = $1 and deleted_at is null and repo_url <> ''`,
    values: [projectId],
  });
  if (row === undefined) return undefined;
  const { integrationId, ...repository } = row;
  if (integrationId === null) return { ...repository, integration: undefined };
  return { ...repository, integration: await findConnection(database, { orgId, integrationId }) };
}
