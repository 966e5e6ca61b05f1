import { v7 as uuidv7 } from 'uuid';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import { policyAllows } from '../../domain/permissions/index.ts';
import type { Database } from '../core/index.ts';
import { getIssue } from '../issues/index.ts';
import { type AddedTasks, addTasks, type TaskFields } from './add-tasks.ts';
import type { Task, TaskActor } from './tasks.ts';

/** A task as its creator describes it. */
interface NewTask extends TaskFields, Omit<AddedTasks, 'tasks' | 'maxParts'> {
  /** The task of the same chat that it is a part of. */
  readonly parentTaskId?: string | null;
}

/**
 * Adds a task as `addTasks` does, under the caller's id or a new one. One for an issue needs the right to change
 * issues: its result becomes a comment.
 */
export async function createTask(
  database: Database,
  actor: TaskActor,
  { title, description, assignedAgentId, priority, dependsOn, parentTaskId = null, ...place }: NewTask,
  id: string = uuidv7(),
): Promise<Task> {
  await requireIssueRights(database, actor, place.issueId ?? null);
  const task = { id, title, description, assignedAgentId, priority, dependsOn, parentTaskId };
  return addTasks(database, actor, { ...place, tasks: [task] });
}

async function requireIssueRights(
  database: Database,
  { orgId, policy }: TaskActor,
  issueId: string | null,
): Promise<void> {
  if (issueId === null || policyAllows(policy, 'issues.manage')) return;
  if (!policyAllows(policy, 'issues.view')) throw notFound('Issue');
  await getIssue(database, orgId, issueId);
  throw new AppError('forbidden', 'A task for an issue also needs the permission issues.manage');
}
