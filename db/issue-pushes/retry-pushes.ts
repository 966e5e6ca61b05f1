import type { EntityManager } from '@mikro-orm/postgresql';
import { afterCommit } from '../core/index.ts';
import type { ProjectRef } from '../projects/index.ts';
import { pushOf } from './pushes.ts';

/** Whose pushes: those of an issue, of a project, or of all projects that name an integration. */
type PushScope = { readonly issueId: string } | { readonly projectId: string } | { readonly integrationId: string };

/**
 * Makes the pushes that the code host has refused due again, in the transaction of what may have changed its answer. A
 * push in progress is repeated once when it is refused: it may have begun before the change.
 */
export async function retryPushes(em: EntityManager, scope: PushScope): Promise<void> {
  const [condition, id] = conditionOf(scope);
  // One attempt stays counted: it may have written a comment, which is then looked for.
  const projects = await em.execute<ProjectRef[]>(
    `update issue_pushes q set error = null, version = q.version + 1, attempts = 1, due_at = now()
      from projects p where q.attempts > 0 and p.id = q.project_id and p.sync_direction = 'both' and ${condition}
      returning q.org_id as "orgId", q.project_id as "projectId"`,
    [id],
  );
  afterCommit(em, { dueWork: projects.map(pushOf) });
}

function conditionOf(scope: PushScope): readonly [condition: string, id: string] {
  if ('issueId' in scope) return ['q.issue_id = ?', scope.issueId];
  if ('projectId' in scope) return ['q.project_id = ?', scope.projectId];
  return ['p.integration_id = ?', scope.integrationId];
}
