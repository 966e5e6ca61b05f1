import type { Database } from '../../db/core/index.ts';
import { getIssue } from '../../db/issues/index.ts';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import { policyAllows } from '../../domain/permissions/index.ts';
import type { OrgCaller } from '../context/api-context.ts';

/** Checks that somebody who adds a task for an issue may change issues: its result becomes a comment. */
export async function requireIssueRights(
  database: Database,
  { orgId, policy }: OrgCaller,
  issueId: string | null,
): Promise<void> {
  if (issueId === null || policyAllows(policy, 'issues.manage')) return;
  if (!policyAllows(policy, 'issues.view')) throw notFound('Issue');
  await getIssue(database, orgId, issueId);
  throw new AppError('forbidden', 'A task for an issue also needs the permission issues.manage');
}
