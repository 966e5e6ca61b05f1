import type { EntityManager } from '@mikro-orm/postgresql';
import type { TenantDatabase } from '../core/index.ts';
import type { HostedProject } from './store-issues.ts';

/** Returns the number of the next issue whose comments are to be read; undefined when there is none. */
export async function nextIssueWithComments(
  { tenant }: TenantDatabase,
  { orgId, projectId, host, repoId }: HostedProject,
): Promise<number | undefined> {
  const [row] = await tenant.query<{ number: number }>(orgId, {
    name: 'next-issue-with-comments',
    text: `select number from remote_issues where project_id = $1 and host = $2 and repo_id = $3 and comments_due
      order by number limit 1`,
    values: [projectId, host, repoId],
  });
  return row?.number;
}

/** Notes that the comments of an issue were read. */
export async function noteCommentsRead(
  em: EntityManager,
  { projectId, host, repoId }: HostedProject,
  issueNumber: number,
): Promise<void> {
  await em.execute(
    `update remote_issues set comments_due = false
      where project_id = ? and host = ? and repo_id = ? and number = ? and comments_due`,
    [projectId, host, repoId, issueNumber],
  );
}
